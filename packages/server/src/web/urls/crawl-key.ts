import { createHash } from 'node:crypto';
import type { CrawlOptions } from '@holdfast/contract';
import { asGiven, type CanonicalOptions, canonicalOptions, canonicalUrl } from './canonical-url.ts';

/**
 * Identifies a crawl, so that a recrawl finds its baseline: by its seeds and the options that decide what is crawled and stored.
 * Speed, user agent and output do not count. Options newer than version 0.2 count only if they are used, so that older crawls
 * keep their keys.
 */
export function crawlKey(options: CrawlOptions): string {
  return keyOf([
    ...partsV1(options),
    ...(needsSeeds(options)
      ? ['seeds', unordered(seedsOf(options, asGiven(canonicalOptions(options))))]
      : []),
    ...newerOptions(options),
  ]);
}

/** The key of the same crawl in version 0.2, which removed parameters from seeds. It differs where newer options are used. */
export function crawlKeyOf02(options: CrawlOptions): string {
  return keyOf([...partsV1(options), ...newerOptions(options)]);
}

function newerOptions(options: CrawlOptions): unknown[] {
  return [
    ...(options.keep_sessions ? ['sessions'] : []),
    ...(options.traps ? [] : ['no traps']),
    ...(options.content === 'main' ? [] : [options.content]),
    ...renderingOf(options),
    ...(options.documents ? [] : ['no documents']),
    ...(options.ignore_query ? ['ignore query'] : []),
    ...(options.include_selectors.length + options.exclude_selectors.length > 0
      ? ['selectors', unordered(options.include_selectors), unordered(options.exclude_selectors)]
      : []),
    ...(options.image_links ? ['images'] : []),
    ...(options.clean_html ? ['clean html'] : []),
    ...(options.prefer_markdown ? ['prefer markdown'] : []),
    ...sessionOf(options),
  ];
}

function renderingOf({ render, wait_for, actions, screenshot, load_media }: CrawlOptions): unknown[] {
  const said = { wait_for, actions, ...(screenshot && { screenshot }), ...(load_media && { load_media }) };
  const isPlain = render === 'auto' && JSON.stringify(said) === '{}';
  return isPlain ? [] : ['render', render, said];
}

/** A profile by its name, not its values: with a new password it is the same crawl. */
function sessionOf({
  profile,
  unnamed_profile,
  cookies,
  accept_language,
  headers = {},
}: CrawlOptions): unknown[] {
  const sent = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  return [
    ...(profile === undefined ? [] : ['profile', profile]),
    ...(unnamed_profile === undefined ? [] : ['signed in']),
    ...(cookies ? [] : ['no cookies']),
    ...(accept_language === undefined ? [] : ['language', accept_language]),
    ...(sent.length > 0 ? ['headers', unordered(sent)] : []),
  ];
}

function partsV1(options: CrawlOptions): unknown[] {
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
 * Whether the seeds have to be added because version 0.2 would give different crawls the same key: in a batch each URL is a page
 * of its own, and another parameter makes another seed, unless it serves only tracking.
 */
function needsSeeds(options: CrawlOptions): boolean {
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

function keyOf(parts: unknown[]): string {
  return `crawl:${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}

function unordered(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
