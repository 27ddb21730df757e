import { createHash } from 'node:crypto';
import type { CrawlOptions } from '@holdfast/contract';
import { asGiven, canonicalOptions } from './canonical-options.ts';
import { type CanonicalOptions, canonicalUrl } from './canonical-url.ts';

/**
 * The name of a crawl: the same start and the same options of what to crawl and what to keep make the same crawl. How
 * fast it goes, how it names itself and where its pages are written do not count. A recrawl finds its baseline by it.
 * An option that is younger than version 0.2 adds to the name only where it is used: crawls from before keep theirs.
 */
export function crawlKey(options: CrawlOptions): string {
  return keyOf([
    ...nameOf02(options),
    ...(isToldApart(options)
      ? ['seeds', unordered(seedsOf(options, asGiven(canonicalOptions(options))))]
      : []),
    ...(options.keep_sessions ? ['sessions'] : []),
    ...(options.traps ? [] : ['no traps']),
    ...(options.content === 'main' ? [] : [options.content]),
    ...renderingOf(options),
  ]);
}

/** The key of a crawl with these seeds in version 0.2, which cut parameters from them. */
export function crawlKeyOf02(options: CrawlOptions): string {
  return keyOf(nameOf02(options));
}

function renderingOf({ render, wait_for, actions, screenshot, load_media }: CrawlOptions): unknown[] {
  const said = { wait_for, actions, ...(screenshot && { screenshot }), ...(load_media && { load_media }) };
  const isPlain = render === 'auto' && JSON.stringify(said) === '{}';
  return isPlain ? [] : ['render', render, said];
}

function nameOf02(options: CrawlOptions): unknown[] {
  const [url, ...urls] = seedsOf(options, canonicalOptions({ ...options, keep_sessions: false }, 1));
  return [
    url,
    unordered(urls),
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
    ...(options.keep_bodies ? ['bodies'] : []),
  ];
}

/**
 * Whether the seeds say more than their names in version 0.2: in a batch each URL is a page of its own, and one seed is
 * another page with another parameter, but not with other tracking.
 */
function isToldApart(options: CrawlOptions): boolean {
  const today = canonicalOptions(options);
  const before = seedsOf(options, canonicalOptions({ ...options, keep_sessions: false }, 1));
  const now = seedsOf(options, options.urls?.length ? asGiven(today) : today);
  return now.some((url, n) => url !== seedsOf({ url: before[n] as string }, today)[0]);
}

function seedsOf(
  { url, urls = [] }: Pick<CrawlOptions, 'url' | 'urls'>,
  canonical: CanonicalOptions,
): string[] {
  return [url, ...urls].map((raw) => canonicalUrl(raw, undefined, canonical) ?? raw);
}

function keyOf(name: unknown[]): string {
  return `crawl:${createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, 32)}`;
}

function unordered(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
