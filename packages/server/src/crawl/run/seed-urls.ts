import { type CrawlOptions, HoldfastError } from '@holdfast/contract';
import type { UrlKind } from '../../pages/stored/page.ts';
import { asGiven, canonicalOptions } from '../../web/urls/canonical-options.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { hostOf } from '../../web/urls/host-of.ts';
import { urlHash } from '../../web/urls/url-hash.ts';
import { type UrlRulesVersion, urlRules } from '../../web/urls/url-rules.ts';
import type { FoundUrl } from '../frontier/frontier-entry.ts';

/** Where a new crawl begins, by identity: its seeds, as they were given, and where discovery looks. */
export function seedUrls(options: CrawlOptions, rules: UrlRulesVersion): Map<string, FoundUrl> {
  const strategy = strategyOf(options);
  const kind: UrlKind = strategy === 'sitemap' ? 'sitemap' : strategy === 'text' ? 'text' : 'page';
  const seeds = new Map<string, FoundUrl>();
  const add = (raw: string, kind: UrlKind) => {
    const url = canonicalUrl(raw, undefined, asGiven(canonicalOptions(options, rules)));
    if (url === null) throw new HoldfastError('url_invalid', raw);
    const identity = urlRules[rules].identity(url);
    if (seeds.has(identity)) return;
    const place = { kind, depth: 0, redirects: 0, parent: null };
    seeds.set(identity, { url, url_hash: urlHash(identity), host: hostOf(url), ...place });
  };
  for (const url of [options.url, ...(options.urls ?? [])]) add(url, kind);
  if (!options.discover || strategy !== 'recursive') return seeds;
  const { origin } = new URL(options.url);
  add(`${origin}/sitemap.xml`, 'sitemap');
  add(`${origin}/llms.txt`, 'text');
  add(`${origin}/llms-full.txt`, 'text');
  return seeds;
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
