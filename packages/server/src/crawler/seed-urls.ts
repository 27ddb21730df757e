import { type CrawlOptions, HoldfastError } from '@holdfast/contract';
import type { FoundUrl, FrontierKind } from '../frontier/frontier-entry.ts';
import { canonicalUrl } from '../urls/canonical-url.ts';
import { hostOf } from '../urls/host-of.ts';
import { urlHash } from '../urls/url-hash.ts';
import { canonicalOptions } from './canonical-options.ts';

/** Where a new crawl begins: its seeds, and where discovery looks. What discovery finds adds to the crawl. */
export function seedUrls(options: CrawlOptions): FoundUrl[] {
  const strategy = strategyOf(options);
  const kind: FrontierKind = strategy === 'sitemap' ? 'sitemap' : strategy === 'text' ? 'text' : 'page';
  const seeds = [options.url, ...(options.urls ?? [])].map((url) => found(url, kind, options));
  if (!options.discover || strategy !== 'recursive') return seeds;
  const { origin } = new URL(options.url);
  return [
    ...seeds,
    found(`${origin}/sitemap.xml`, 'sitemap', options),
    found(`${origin}/llms.txt`, 'text', options),
    found(`${origin}/llms-full.txt`, 'text', options),
  ];
}

/** `auto` goes by the look of the URL. */
export function strategyOf({ strategy, url, urls }: CrawlOptions): Exclude<CrawlOptions['strategy'], 'auto'> {
  if (strategy !== 'auto') return strategy;
  if (urls && urls.length > 0) return 'batch';
  const { pathname } = new URL(url);
  if (/sitemap[^/]*\.(xml|xml\.gz|txt)$|\.(rss|atom)$/i.test(pathname)) return 'sitemap';
  if (/\/llms(-full)?\.txt$|\.txt$/i.test(pathname)) return 'text';
  return 'recursive';
}

function found(raw: string, kind: FrontierKind, options: CrawlOptions): FoundUrl {
  const url = canonicalUrl(raw, undefined, canonicalOptions(options));
  if (url === null) throw new HoldfastError('url_invalid', raw);
  return { url, url_hash: urlHash(url), host: hostOf(url), kind, depth: 0, redirects: 0, parent: null };
}
