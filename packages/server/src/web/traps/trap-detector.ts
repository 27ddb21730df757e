import { LruMap } from '../../base/collections/lru-map.ts';
import { fingerprint } from '../urls/fingerprint.ts';
import type { ContentProof } from './content-proof.ts';
import { addQuery, isOneOfMany, noShapes } from './query-shapes.ts';
import { groupOf, partsOf, signsOf, type TrapReason, type TrapSign, type UrlParts } from './trap-signs.ts';

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
/** Of a group: pairs of a query that filters add, and groups that its pages lead to. */
const maxAdded = 2_000;
const maxLeads = 1_000;
/** Counts are kept across runs in steps of this. */
const keptStep = 500;

/** Suspects that are dropped before one is let through; twice as many each time it says nothing new. */
const firstProbe = 20;

interface Group {
  pages: number;
  /** Suspects in a row that said nothing new. */
  repeats: number;
  /** What `repeats` has to reach. */
  proof: number;
  /** Suspects dropped, and how many of them let the next one through. */
  dropped: number;
  probeAt: number;
  probeStep: number;
  readonly contents: Set<number>;
  readonly added: Set<number>;
  /** By group: the links that lead there, and whether they differ from page to page. */
  readonly leads: Map<string, { readonly links: number; differ: boolean }>;
}

/**
 * Tells endless spaces of URLs from large sites, by their pages. A URL with a sign of a trap (trap-signs.ts) is dropped only
 * after its like have shown page after page that was there before, or have brought 10,000 that were not. Memory is bounded.
 * A group is proven only together with the groups that its pages lead to: empty months may lead to days that are not empty.
 * One suspect in some is let through all the same, so that an error that was on all pages for a while proves nothing for good.
 * A new run knows the counts towards the cap, and has to see the repetitions again: a proven trap costs it 20 to 100 pages.
 * Chains of numbers (`?page=9999`) are left to the limits of depth and pages: no URL tells an endless list from a long one.
 */
export class TrapDetector {
  readonly #limits: TrapLimits;
  readonly #paths = new LruMap<ReturnType<typeof noShapes>>(maxPaths);
  readonly #groups = new LruMap<Group>(maxGroups);
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
      if (isFull || (group.dropped < group.probeAt && this.#isProven(groupOf(sign)))) return sign.reason;
    }
    return null;
  }

  /** A URL was dropped, for a verdict of ours or for another reason. */
  skipped(url: string, reason: string): void {
    for (const sign of this.#signs(partsOf(url)))
      if (sign.reason === reason && sign.isSuspect) this.#group(sign).dropped++;
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
      proof: 200,
      thinCounts: false,
      isCapped: true,
    };
  }

  #count(sign: TrapSign, content: ContentProof | null): void {
    const group = this.#group(sign);
    // All dates of a calendar count, and only distant ones are dropped.
    if (sign.isSuspect || sign.reason === 'trap_calendar') this.#countPage(sign, group);
    const said = saidFor(sign, content);
    if (!content || said === null) return;
    const isNew = this.#addLinks(sign, group, content) || !group.contents.has(said);
    if (sign.isSuspect && isNew) this.#isNew(group);
    else if (sign.isSuspect && (sign.thinCounts || !content.isThin)) this.#isRepeated(group);
    addBounded(group.contents, said, maxContents);
  }

  #isNew(group: Group): void {
    // It looked proven, and was not.
    if (group.repeats >= group.proof) group.proof = Math.min(group.proof * 2, maxContents);
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

  /** Whether a page of filters adds one that no other had. */
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

  /** With all groups that its pages lead to. */
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
    this.#hasNews = true;
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

/** Other queries on the path are the content of a page, unless they are what the trap is made of. */
function saidFor({ reason }: TrapSign, content: ContentProof | null): number | null {
  if (!content || content.exact === null) return null;
  if (reason === 'trap_query_permutations') return content.exact;
  const shown = reason === 'trap_calendar' ? (content.undated ?? content.exact) : content.exact;
  return shown ^ Math.imul(content.queries, 31);
}

function addBounded(values: Set<number>, value: number, limit: number): void {
  values.add(value);
  if (values.size > limit) values.delete(values.values().next().value as number);
}
