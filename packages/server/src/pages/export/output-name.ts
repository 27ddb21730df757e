import { type CrawlOptions, crawlOptions } from '@holdfast/contract';
import { crawlKey } from '../../web/urls/crawl-key.ts';

/**
 * What the pages of a crawl are written to if nobody says otherwise: a name after host and path. Crawls of the same URL
 * with other options have other names, so that none takes the place of another.
 */
export function outputName(options: CrawlOptions): string {
  const { host, pathname } = new URL(options.url);
  const place = `${host}${pathname}`
    .slice(0, 80)
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const { max_depth, max_pages, ...others } = options;
  const plain = crawlOptions.parse({ url: options.url });
  const isPlain = crawlKey({ ...others, max_depth: plain.max_depth }) === crawlKey(plain);
  if (!isPlain) return `${place}-${crawlKey(options).slice(-6)}`;
  const depth = max_depth === plain.max_depth ? '' : `-depth-${max_depth}`;
  return `${place}${depth}${max_pages === undefined ? '' : `-limit-${max_pages}`}`;
}
