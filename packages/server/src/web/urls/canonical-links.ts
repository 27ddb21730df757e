import { baseParts } from './base-parts.ts';
import { type CanonicalOptions, canonicalUrl } from './canonical-url.ts';
import { ownText } from './own-text.ts';

/** Of all origins together; about 10 MB of links of the usual length. */
const maxLinks = 40_000;

type LinksByOrigin = Map<string, Map<string, string | null>>;

/**
 * The canonical forms of hrefs, each made once: most links of a site stand on many of its pages. The same href gives the
 * same string, which V8 has flattened and hashed before, so that asking whether a link is known costs a look (measured
 * together: 12 µs for the 50 links of a page against 85). Bounded, in two generations.
 */
export class CanonicalLinks {
  readonly #options: CanonicalOptions;
  readonly #limit: number;
  #young: LinksByOrigin = new Map();
  #old: LinksByOrigin = new Map();
  #youngSize = 0;
  #base: string | undefined;
  /** Of the last base, with a slash; a base that begins with it has the same. */
  #start: string | undefined;
  #youngHere: Map<string, string | null> | undefined;
  #oldHere: Map<string, string | null> | undefined;

  constructor(options: CanonicalOptions, limit = maxLinks) {
    this.#options = options;
    this.#limit = limit;
  }

  get size(): number {
    let size = this.#youngSize;
    for (const links of this.#old.values()) size += links.size;
    return size;
  }

  /** As canonicalUrl gives it. */
  of(href: string, base: string): string | null {
    if (base !== this.#base) this.#enter(base);
    if (!this.#youngHere || !dependsOnOrigin(href)) return this.#canonical(href, base);
    const known = this.#youngHere.get(href);
    if (known !== undefined) return known;
    const old = this.#oldHere?.get(href);
    // Whatever remembers the slice of a page keeps all of that page in memory.
    const own = ownText(href);
    const url = old === undefined ? canonicalUrl(own, base, this.#options) : old;
    this.#youngHere.set(own, url);
    if (++this.#youngSize >= this.#limit / 2) this.#age();
    return url;
  }

  #canonical(href: string, base: string): string | null {
    return canonicalUrl(ownText(href), base, this.#options);
  }

  /** Pages of one origin follow one another, or take turns with others. */
  #enter(base: string): void {
    this.#base = base;
    // Splitting a base took 18 µs of a page in a profile, and most pages follow one of the same origin.
    if (this.#start !== undefined && base.startsWith(this.#start)) return;
    const origin = baseParts(base)?.origin;
    this.#start = origin === undefined ? undefined : `${origin}/`;
    if (origin === undefined) {
      this.#youngHere = undefined;
      return;
    }
    this.#oldHere = this.#old.get(origin);
    this.#youngHere = this.#young.get(origin);
    if (this.#youngHere) return;
    this.#youngHere = new Map();
    this.#young.set(origin, this.#youngHere);
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
    this.#base = undefined;
    this.#start = undefined;
  }
}

/** `/x` and `http://…/x` mean the same on every page of an origin; `x` and `?x` do not. */
function dependsOnOrigin(href: string): boolean {
  return href.charCodeAt(0) === 0x2f || href.startsWith('http://') || href.startsWith('https://');
}
