import type { UrlKind } from '../../pages/stored/page.ts';
import { canonicalOptions } from '../../web/urls/canonical-options.ts';
import { type CanonicalOptions, canonicalUrl } from '../../web/urls/canonical-url.ts';
import { hostOf } from '../../web/urls/host-of.ts';
import { urlHash } from '../../web/urls/url-hash.ts';
import { type UrlRules, urlRules } from '../../web/urls/url-rules.ts';
import type { FoundUrl, FrontierEntry } from '../frontier/frontier-entry.ts';
import type { CrawlContext } from './crawl-context.ts';
import { strategyOf } from './seed-urls.ts';
import type { OffScope, Unsaved } from './unsaved.ts';

/** Sitemaps that sitemaps name, one below the other. */
const maxListDepth = 5;

/** Puts the URLs that pages lead to into the next checkpoint: those in scope that are not known yet. */
export class FindUrls {
  readonly #context: CrawlContext;
  readonly #unsaved: () => Unsaved;
  readonly #follows: boolean;
  readonly #canonical: CanonicalOptions;
  readonly #identity: UrlRules['identity'];
  /** By the attempt at an entry, as an entry that is tried again is a new object: they count when it is done, and once. */
  readonly #leftOut = new WeakMap<FrontierEntry, Record<string, number>>();

  constructor(context: CrawlContext, unsaved: () => Unsaved) {
    this.#context = context;
    this.#unsaved = unsaved;
    this.#follows = strategyOf(context.options) === 'recursive';
    this.#canonical = canonicalOptions(context.options, context.urlRules);
    this.#identity = urlRules[context.urlRules].identity;
  }

  /** Links of a page, canonical already, in the page's order. */
  add(links: readonly string[], from: FrontierEntry): void {
    if (!this.#follows) return;
    const place = { depth: from.depth + 1, parent: from.url_hash, redirects: 0 };
    for (const url of links) this.#addPage(url, place, from);
  }

  /** What a page or a list leads to and is not fetched. */
  countLeftOut(leftOut: OffScope, from: FrontierEntry): void {
    for (const [reason, count] of Object.entries(leftOut)) this.#count(reason, from, count);
  }

  /** All that this attempt at an entry has counted. */
  leftOutOf(entry: FrontierEntry): OffScope {
    return this.#leftOut.get(entry) ?? {};
  }

  /** Two spellings of one URL. */
  areOne(url: string, other: string): boolean {
    return this.#identity(url) === this.#identity(other);
  }

  get follows(): boolean {
    return this.#follows;
  }

  /** A redirect's target takes the place of the URL that led there. */
  addRedirect(url: string, from: FrontierEntry): void {
    const place = { depth: from.depth, parent: from.parent, redirects: from.redirects + 1 };
    if (from.kind === 'page') this.#addPage(url, place, from);
    else this.#add(url, from.kind, place);
  }

  /** What a sitemap or a text file lists. */
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

  /** True when one of them was new. */
  addSitemaps(origin: string, sitemaps: readonly string[]): boolean {
    const before = this.#unsaved().found.size;
    for (const raw of sitemaps) {
      const url = canonicalUrl(raw, `${origin}/robots.txt`, this.#canonical);
      if (url !== null) this.#add(url, 'sitemap', { depth: 0, parent: null, redirects: 0 });
    }
    return this.#unsaved().found.size > before;
  }

  #addPage(url: string, place: Pick<FoundUrl, 'depth' | 'parent' | 'redirects'>, from: FrontierEntry): void {
    const { known, scope } = this.#context;
    if (known.has(url) || this.#unsaved().found.has(this.#identity(url))) return;
    const verdict = scope.verdict(url, place.depth);
    if (verdict !== 'in') this.#count(verdict, from);
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
    // The spelling that was found first is the one to be fetched.
    if (found.has(identity)) return;
    const place = { kind, depth, redirects, parent };
    found.set(identity, { url, url_hash: urlHash(identity), host: hostOf(url), ...place });
  }
}
