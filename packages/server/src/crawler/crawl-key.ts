import { createHash } from 'node:crypto';
import type { CrawlOptions } from '@holdfast/contract';
import { canonicalUrl } from '../urls/canonical-url.ts';
import { canonicalOptions } from './canonical-options.ts';

/**
 * The name of a crawl: the same start and the same options of what to crawl and what to keep make the same crawl. How
 * fast it goes, how it names itself and where its pages are written do not count. A recrawl finds its baseline by it.
 */
export function crawlKey(options: CrawlOptions): string {
  const url = (raw: string) => canonicalUrl(raw, undefined, canonicalOptions(options)) ?? raw;
  const name = [
    url(options.url),
    unordered((options.urls ?? []).map(url)),
    options.strategy,
    options.max_depth,
    options.max_pages ?? null,
    options.max_pages_per_host ?? null,
    options.scope,
    options.path_prefix ?? null,
    unordered(options.include),
    unordered(options.exclude),
    options.discover,
    options.ignore_robots,
    options.sort_query,
    options.keep_tracking,
    options.markdown,
    options.store_html,
    options.max_page_bytes,
    // Only where it is asked for: crawls from before there was this option keep their names.
    ...(options.keep_bodies ? ['bodies'] : []),
  ];
  return `crawl:${createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, 32)}`;
}

function unordered(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
