import { LruMap } from '../../base/collections/lru-map.ts';
import { fingerprint } from '../urls/hashes.ts';
import { addQuery, isOneOfMany, noShapes } from './query-shapes.ts';
import { groupOf, partsOf, signsOf, type TrapReason, type TrapSign, type UrlParts } from './trap-signs.ts';

/** Fingerprints of a page's content and links, by which two pages are found to be the same. */
export interface ContentProof {
  /** All text, media and links, except for the links below; null for a nearly empty page. */
  readonly exact: number | null;
  /** The same without the date in the URL; null if there is none. */
  readonly undated: number | null;
  /** Links to other queries on the same path. */
  readonly queries: number;
  /** The parameters that these links add or change. */
  readonly added: readonly number[];
  /** By group: links with the sign of another trap of this kind. Links with the same sign belong to the trap. */
  readonly leads: readonly (readonly [group: string, links: number])[];
  /** Too few words to prove anything. */
  readonly isThin: boolean;
}

/** Main text with fewer words is thin. */
export const thinWords = 8;

export interface TrapLimits {
  /** Different lists of parameter names per path. */
  readonly maxQueryShapes: number;
  /** Combinations of the same few values per path, as of filters. */
  readonly maxQueryCombinations: number;
  /** Pages of one trap that all have new content. */
  readonly maxPages: number;
  readonly today: Date;
}

const defaults = { maxQueryShapes: 100, maxQueryCombinations: 500, maxPages: 10_000 };
const maxGroups = 500;
const maxPaths = 1_000;

/** Per group; a trap repeats itself sooner. */
const maxContents = 1_000;

/** Per group: parameters that filters add, and groups that its pages link to. */
const maxAdded = 2_000;
const maxLeads = 1_000;

/** Counts are stored across runs in steps of this. */
const keptStep = 500;

/** How many suspects are dropped before one is let through; doubled each time that brings nothing new. */
const firstProbe = 20;

interface Group {
  pages: number;
  /** Consecutive suspects without new content. */
  repeats: number;
  /** The `repeats` that prove a trap. */
  proof: number;
  /** Suspects dropped, and the count at which the next one is let through. */
  dropped: number;
  probeAt: number;
  probeStep: number;
  readonly contents: Set<number>;
  readonly added: Set<number>;
  /** By group: the links to it, and whether they differ between pages. */
  readonly leads: Map<string, { readonly links: number; differ: boolean }>;
}

/**
 * Distinguishes endless URL spaces from large sites by their pages. A URL with a sign of a trap (trap-signs.ts) is dropped only
 * after similar ones have shown the same content again and again, or have brought 10,000 new pages. Memory is bounded.
 * A group is proven only together with the groups that its pages link to: empty months may link to days that are not empty.
 * Some suspects are let through all the same, so that a temporary error on all pages is not taken for a trap forever.
 * A new run knows the counts towards the cap but has to see the repetitions again, which costs 20 to 100 pages per trap.
 * Number chains (`?page=9999`) are left to the limits of depth and pages: a URL does not tell an endless list from a long one.
 */
export class TrapDetector {
  readonly #limits: TrapLimits;
  readonly #paths = new LruMap<ReturnType<typeof noShapes>>(maxPaths);
  readonly #groups = new LruMap<Group>(maxGroups);
  /** Page counts to store, by the fingerprint of the group's key. */
  readonly #kept: Map<string, number>;
  #hasChanges = false;
  /** Groups that were proven and then brought something new: what was dropped of them is wanted after all. */
  readonly #refuted: Set<string>;

  constructor(
    kept: Readonly<Record<string, number>> = {},
    limits: Partial<TrapLimits> = {},
    refuted: readonly string[] = [],
  ) {
    this.#refuted = new Set(refuted);
    this.#kept = new Map(Object.entries(kept));
    this.#limits = { ...defaults, today: new Date(), ...limits };
  }

  /** Why a canonical URL should not be requested; null if it should. Changes nothing. */
  verdict(url: string): TrapReason | null {
    const parts = partsOf(url);
    for (const sign of this.#signs(parts)) {
      if (!sign.isSuspect) continue;
      const group = this.#group(sign);
      const isFull = sign.isCapped && group.pages >= this.#limits.maxPages;
      if (isFull || (group.dropped < group.probeAt && this.#isProven(groupOf(sign)))) return sign.reason;
    }
    return null;
  }

  /** Records that a URL was dropped, for a verdict or another reason. */
  skipped(url: string, reason: string): void {
    for (const sign of this.#signs(partsOf(url)))
      if (sign.reason === reason && sign.isSuspect) this.#group(sign).dropped++;
  }

  /** Records the content of a fetched URL; null for a redirect. */
  learn(url: string, content: ContentProof | null): void {
    const parts = partsOf(url);
    for (const sign of this.#signs(parts)) this.#count(sign, content);
    const choosing = parts.date?.rest ?? parts.pieces;
    if (choosing.length > 0) addQuery(choosing, this.#path(parts), this.#limits);
  }

  /** The counts to store for the next run; null if they have not changed since the last call. */
  changedCounts(): Record<string, number> | null {
    if (!this.#hasChanges) return null;
    this.#hasChanges = false;
    return Object.fromEntries(this.#kept);
  }

  /** Groups whose dropped URLs are wanted after all. */
  get refuted(): readonly string[] {
    return [...this.#refuted];
  }

  /** Whether a dropped URL is wanted after all. */
  isWanted(url: string): boolean {
    return [...this.#signs(partsOf(url))].some((sign) => {
      const isFull = sign.isCapped && this.#group(sign).pages >= this.#limits.maxPages;
      return this.#refuted.has(groupOf(sign)) && !isFull;
    });
  }

  /** What was dropped of the refuted groups is fetched now. */
  forgetRefuted(): void {
    this.#refuted.clear();
  }

  *#signs(parts: UrlParts): Generator<TrapSign> {
    yield* signsOf(parts, this.#limits.today);
    const choosing = parts.date?.rest ?? parts.pieces;
    if (choosing.length === 0) return;
    yield {
      reason: 'trap_query_permutations',
      key: parts.document,
      isSuspect: isOneOfMany(choosing, this.#path(parts), this.#limits),
      proof: 200,
      thinCounts: false,
      isCapped: true,
    };
  }

  #count(sign: TrapSign, content: ContentProof | null): void {
    const group = this.#group(sign);
    // All dates of a calendar count, but only distant ones are dropped.
    if (sign.isSuspect || sign.reason === 'trap_calendar') this.#countPage(sign, group);
    const shownContent = contentFor(sign, content);
    if (!content || shownContent === null) return;
    const isNew = this.#addLinks(sign, group, content) || !group.contents.has(shownContent);
    if (sign.isSuspect && isNew) this.#isNew(sign, group);
    else if (sign.isSuspect && (sign.thinCounts || !content.isThin)) this.#isRepeated(group);
    addBounded(group.contents, shownContent, maxContents);
  }

  #isNew(sign: TrapSign, group: Group): void {
    if (group.repeats >= group.proof) {
      // It had been proven wrongly.
      group.proof = Math.min(group.proof * 2, maxContents);
      if (group.dropped > 0) this.#refuted.add(groupOf(sign));
    }
    group.repeats = 0;
    group.probeStep = firstProbe;
    group.probeAt = group.dropped + firstProbe;
  }

  #isRepeated(group: Group): void {
    group.repeats++;
    if (group.dropped < group.probeAt) return;
    group.probeStep *= 2;
    group.probeAt = group.dropped + group.probeStep;
  }

  /** Whether a page of filters adds a parameter, or a link leads to a group, that no other page had. */
  #addLinks({ reason, isSuspect }: TrapSign, group: Group, { added, leads }: ContentProof): boolean {
    if (reason === 'trap_query_permutations') {
      const before = added.every((pair) => group.added.has(pair));
      for (const pair of added) addBounded(group.added, pair, maxAdded);
      return !before;
    }
    if (!isSuspect) return false;
    for (const [name, links] of leads) {
      if (!name.startsWith(reason)) continue;
      const known = group.leads.get(name);
      if (known) known.differ ||= known.links !== links;
      else if (group.leads.size < maxLeads) group.leads.set(name, { links, differ: false });
      else return true;
    }
    return false;
  }

  /** Including all groups that its pages link to. */
  #isProven(name: string, seen = new Set<string>()): boolean {
    seen.add(name);
    const group = this.#groups.peek(name);
    if (!group || group.repeats < group.proof) return false;
    for (const [next, { differ }] of group.leads)
      if (differ && !seen.has(next) && !this.#isProven(next, seen)) return false;
    return true;
  }

  #countPage(sign: TrapSign, group: Group): void {
    group.pages++;
    if (!sign.isCapped || group.pages % keptStep !== 0) return;
    this.#kept.set(nameOf(sign), group.pages);
    this.#hasChanges = true;
  }

  #group(sign: TrapSign): Group {
    return this.#groups.getOrAdd(groupOf(sign), () => ({
      pages: this.#kept.get(nameOf(sign)) ?? 0,
      repeats: 0,
      proof: sign.proof,
      dropped: 0,
      probeAt: firstProbe,
      probeStep: firstProbe,
      contents: new Set(),
      added: new Set(),
      leads: new Map(),
    }));
  }

  #path({ document }: UrlParts) {
    return this.#paths.getOrAdd(document, noShapes);
  }
}

const nameOf = (sign: TrapSign): string => fingerprint(groupOf(sign)).toString(36);

/** Links to other queries on the path count as content, unless they are what the trap consists of. */
function contentFor({ reason }: TrapSign, content: ContentProof | null): number | null {
  if (!content || content.exact === null) return null;
  if (reason === 'trap_query_permutations') return content.exact;
  const shown = reason === 'trap_calendar' ? (content.undated ?? content.exact) : content.exact;
  return shown ^ Math.imul(content.queries, 31);
}

function addBounded(values: Set<number>, value: number, limit: number): void {
  values.add(value);
  if (values.size > limit) values.delete(values.values().next().value as number);
}
