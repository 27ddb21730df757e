import { BoundedMap } from './bounded-map.ts';
import type { ContentProof } from './content-proof.ts';
import { fingerprint } from './fingerprint.ts';
import { addQuery, isOneOfMany, noShapes } from './query-shapes.ts';
import { partsOf, signsOf, type TrapReason, type TrapSign, type UrlParts } from './trap-signs.ts';

export interface TrapLimits {
  /** Different lists of parameter names on one path. */
  readonly maxQueryShapes: number;
  /** Combinations of the same few values on one path: filters. */
  readonly maxQueryCombinations: number;
  /** Pages of one trap that are all new. */
  readonly maxPages: number;
  readonly today: Date;
}

const defaults = { maxQueryShapes: 100, maxQueryCombinations: 500, maxPages: 10_000 };
const maxGroups = 500;
const maxPaths = 1_000;
/** Of a group; a trap repeats itself sooner. */
const maxContents = 1_000;
/** Counts are kept across runs in steps of this. */
const keptStep = 500;

interface Group {
  pages: number;
  /** Suspects in a row that said nothing new. */
  repeats: number;
  readonly contents: Set<number>;
}

/**
 * Tells endless spaces of URLs from large sites, by their pages. A URL with a sign of a trap (trap-signs.ts) is dropped only
 * after its like have shown page after page that was there before, or have brought 10,000 that were not. Memory is bounded.
 * A new run knows the counts towards the cap, and has to see the repetitions again: a proven trap costs it 20 to 100 pages.
 * Chains of numbers (`?page=9999`) are left to the limits of depth and pages: no URL tells an endless list from a long one.
 */
export class TrapDetector {
  readonly #limits: TrapLimits;
  readonly #paths = new BoundedMap<ReturnType<typeof noShapes>>(maxPaths);
  readonly #groups = new BoundedMap<Group>(maxGroups);
  /** By the fingerprint of a group's key: those worth remembering. */
  readonly #kept: Map<string, number>;
  #hasNews = false;

  constructor(kept: Readonly<Record<string, number>> = {}, limits: Partial<TrapLimits> = {}) {
    this.#kept = new Map(Object.entries(kept));
    this.#limits = { ...defaults, today: new Date(), ...limits };
  }

  /** Why a canonical URL is not worth a request; null when it is. Changes nothing. */
  verdict(url: string): TrapReason | null {
    const parts = partsOf(url);
    for (const sign of this.#signs(parts)) {
      if (!sign.isSuspect) continue;
      const group = this.#group(sign);
      const isFull = sign.isCapped && group.pages >= this.#limits.maxPages;
      if (isFull || group.repeats >= sign.proof) return sign.reason;
    }
    return null;
  }

  /** What a URL brought that was asked for; null for a redirect. */
  learn(url: string, content: ContentProof | null): void {
    const parts = partsOf(url);
    for (const sign of this.#signs(parts)) this.#count(sign, content);
    const choosing = parts.date?.rest ?? parts.pieces;
    if (choosing.length > 0) addQuery(choosing, this.#path(parts), this.#limits);
  }

  /** The counts that the next run has to know, if they have changed since the last call. */
  news(): Record<string, number> | null {
    if (!this.#hasNews) return null;
    this.#hasNews = false;
    return Object.fromEntries(this.#kept);
  }

  *#signs(parts: UrlParts): Generator<TrapSign> {
    yield* signsOf(parts, this.#limits.today);
    const choosing = parts.date?.rest ?? parts.pieces;
    if (choosing.length === 0) return;
    yield {
      reason: 'trap_query_permutations',
      key: parts.document,
      isSuspect: isOneOfMany(choosing, this.#path(parts), this.#limits),
      proof: 50,
      thinCounts: false,
      isCapped: true,
    };
  }

  #count(sign: TrapSign, content: ContentProof | null): void {
    const group = this.#group(sign);
    // All dates of a calendar count, and only distant ones are dropped.
    if (sign.isSuspect || sign.reason === 'trap_calendar') this.#countPage(sign, group);
    const said = sign.reason === 'trap_calendar' ? (content?.wording ?? content?.exact) : content?.exact;
    if (!content || said === null || said === undefined) return;
    const isKnown = group.contents.has(said);
    if (sign.isSuspect && !isKnown) group.repeats = 0;
    else if (sign.isSuspect && (sign.thinCounts || !content.isThin)) group.repeats++;
    if (isKnown) return;
    group.contents.add(said);
    if (group.contents.size > maxContents)
      group.contents.delete(group.contents.values().next().value as number);
  }

  #countPage(sign: TrapSign, group: Group): void {
    group.pages++;
    if (!sign.isCapped || group.pages % keptStep !== 0) return;
    this.#kept.set(nameOf(sign), group.pages);
    this.#hasNews = true;
  }

  #group(sign: TrapSign): Group {
    return this.#groups.getOrAdd(`${sign.reason} ${sign.key}`, () => ({
      pages: this.#kept.get(nameOf(sign)) ?? 0,
      repeats: 0,
      contents: new Set(),
    }));
  }

  #path({ document }: UrlParts) {
    return this.#paths.getOrAdd(document, noShapes);
  }
}

const nameOf = ({ reason, key }: TrapSign): string => fingerprint(`${reason} ${key}`).toString(36);
