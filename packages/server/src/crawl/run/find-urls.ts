import { type CrawlOptions, HoldfastError } from '@holdfast/contract';
import type { UrlKind } from '../../pages/stored/page.ts';
import { isSignOutUrl } from '../../web/html/sign-in-form.ts';
import {
  asGiven,
  type CanonicalOptions,
  canonicalOptions,
  canonicalUrl,
  hostOf,
} from '../../web/urls/canonical-url.ts';
import { urlHash } from '../../web/urls/hashes.ts';
import { type UrlRules, type UrlRulesVersion, urlRules } from '../../web/urls/url-rules.ts';
import type { FoundUrl, FrontierEntry } from '../frontier/frontier-entry.ts';
import type { OffScope, Unsaved } from './checkpointer.ts';
import type { CrawlContext } from './crawl-context.ts';

/** Nesting of sitemaps. */
const maxListDepth = 5;

/** Adds URLs found on pages and lists to the next checkpoint, if they are in scope and not known yet. */
export class FindUrls {
  readonly #context: CrawlContext;
  readonly #unsaved: () => Unsaved;
  readonly #follows: boolean;
  readonly #canonical: CanonicalOptions;
  readonly #identity: UrlRules['identity'];
  /** Keyed by attempt (a retried entry is a new object), so that they are counted once, when the entry is done. */
  readonly #leftOut = new WeakMap<FrontierEntry, Record<string, number>>();

  constructor(context: CrawlContext, unsaved: () => Unsaved) {
    this.#context = context;
    this.#unsaved = unsaved;
    this.#follows = strategyOf(context.options) === 'recursive';
    this.#canonical = canonicalOptions(context.options, context.urlRules);
    this.#identity = urlRules[context.urlRules].identity;
  }

  /** Adds the links of a page, which are canonical, in the order of the page. */
  add(links: readonly string[], from: FrontierEntry): void {
    if (!this.#follows) return;
    const place = { depth: from.depth + 1, parent: from.url_hash, redirects: 0 };
    for (const url of links) this.#addPage(url, place, from);
  }

  /** Counts URLs of a page or list that are not fetched. */
  countLeftOut(leftOut: OffScope, from: FrontierEntry): void {
    for (const [reason, count] of Object.entries(leftOut)) this.#count(reason, from, count);
  }

  /** Everything counted for this attempt at an entry; undefined for nothing. */
  leftOutOf(entry: FrontierEntry): OffScope | undefined {
    return this.#leftOut.get(entry);
  }

  /** Whether both are spellings of one URL. */
  areOne(url: string, other: string): boolean {
    return this.#identity(url) === this.#identity(other);
  }

  hashOf(url: string): string {
    return urlHash(this.#identity(url));
  }

  get follows(): boolean {
    return this.#follows;
  }

  /** The target of a redirect inherits the position of the URL that led there. */
  addRedirect(url: string, from: FrontierEntry): void {
    const place = { depth: from.depth, parent: from.parent, redirects: from.redirects + 1 };
    if (from.kind === 'page') this.#addPage(url, place, from);
    else this.#add(url, from.kind, place);
  }

  /** A URL from a sitemap or a text file. */
  addListed(raw: string, kind: UrlKind, from: FrontierEntry): void {
    const url = canonicalUrl(raw, from.url, this.#canonical);
    if (url === null) {
      this.#count('unusable_url', from);
      return;
    }
    const place = { depth: kind === 'page' ? 1 : from.depth + 1, parent: from.url_hash, redirects: 0 };
    if (kind === 'page') this.#addPage(url, place, from);
    else if (this.#context.scope.verdict(url, 0) === 'off_host') this.#count('off_host', from);
    else if (place.depth > maxListDepth) this.#count('lists_too_deep', from);
    else this.#add(url, kind, place);
  }

  /** Returns whether one of them was new. */
  addSitemaps(origin: string, sitemaps: readonly string[]): boolean {
    const before = this.#unsaved().found.size;
    for (const raw of sitemaps) {
      const url = canonicalUrl(raw, `${origin}/robots.txt`, this.#canonical);
      if (url !== null) this.#add(url, 'sitemap', { depth: 0, parent: null, redirects: 0 });
    }
    return this.#unsaved().found.size > before;
  }

  #addPage(url: string, place: Pick<FoundUrl, 'depth' | 'parent' | 'redirects'>, from: FrontierEntry): void {
    const { known, scope, session } = this.#context;
    if (known.has(url) || this.#unsaved().found.has(this.#identity(url))) return;
    const verdict = scope.verdict(url, place.depth);
    // Following it would sign out this run and all others with the profile.
    if (verdict === 'in' && session.profile && isSignOutUrl(url) && session.profile.covers(url))
      this.#count('signs_out', from);
    else if (verdict !== 'in') this.#count(verdict, from);
    else if (!known.hasHash(url)) this.#put(url, 'page', place);
  }

  #count(reason: string, from: FrontierEntry, count = 1): void {
    const counts = this.#leftOut.get(from) ?? {};
    counts[reason] = (counts[reason] ?? 0) + count;
    this.#leftOut.set(from, counts);
  }

  #add(url: string, kind: UrlKind, place: Pick<FoundUrl, 'depth' | 'parent' | 'redirects'>): void {
    const { known } = this.#context;
    if (!known.has(url) && !known.hasHash(url)) this.#put(url, kind, place);
  }

  #put(
    url: string,
    kind: UrlKind,
    { depth, redirects, parent }: Pick<FoundUrl, 'depth' | 'parent' | 'redirects'>,
  ): void {
    const { found } = this.#unsaved();
    const identity = this.#identity(url);
    // The spelling found first is fetched.
    if (found.has(identity)) return;
    const place = { kind, depth, redirects, parent };
    found.set(identity, { url, url_hash: urlHash(identity), host: hostOf(url), ...place });
  }
}

/** The first URLs of a new crawl, by identity: its seeds as given, and the files that discovery looks for. */
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

/** `auto` depends on the URL. */
export function strategyOf({ strategy, url, urls }: CrawlOptions): Exclude<CrawlOptions['strategy'], 'auto'> {
  if (strategy !== 'auto') return strategy;
  if (urls && urls.length > 0) return 'batch';
  const { pathname } = new URL(url);
  if (/sitemap[^/]*\.(xml|xml\.gz|txt)$|\.(rss|atom)$/i.test(pathname)) return 'sitemap';
  if (/\/llms(-full)?\.txt$|\.txt$/i.test(pathname)) return 'text';
  return 'recursive';
}
