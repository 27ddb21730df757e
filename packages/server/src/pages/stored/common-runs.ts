import type { Steps } from './in-slices.ts';

/** Lines that are the same in both texts: `length` lines from `a` in the first and from `b` in the second. */
export interface CommonRun {
  readonly a: number;
  readonly b: number;
  readonly length: number;
}

interface Stretch {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/** Lines between two yields. */
const stride = 8_192;
/** In one stretch; the memory needed grows with the square. */
const maxEdits = 1_000;
/** Lines compared in all. With up to a thousand differences the diff is the shortest; beyond that it may be longer. */
const maxSteps = 2_000_000;

/**
 * The common lines of two texts in order, given their line numbers: the longest such sequence where it can be found within the budget
 * (Myers, "An O(ND) Difference Algorithm", 1986); else the texts are divided at lines that both have once ("patience diff"), and each
 * stretch is compared by itself with what is left of the budget. So the time is nearly linear in the number of lines.
 */
export function* commonRuns(a: Int32Array, b: Int32Array, budget = maxSteps): Steps<CommonRun[]> {
  const finder = new RunFinder(a, b, budget);
  yield* finder.find({ a: 0, aEnd: a.length, b: 0, bEnd: b.length }, budget / 2, true);
  return finder.runs;
}

class RunFinder {
  readonly runs: CommonRun[] = [];
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  #left: number;

  constructor(a: Int32Array, b: Int32Array, budget: number) {
    this.#a = a;
    this.#b = b;
    this.#left = budget;
  }

  *find(whole: Stretch, budget: number, mayDivide: boolean): Steps<void> {
    const [a, b] = [this.#a, this.#b];
    let { a: start, b: other, aEnd, bEnd } = whole;
    while (start < aEnd && other < bEnd && a[start] === b[other]) {
      start++;
      other++;
    }
    this.#add(whole.a, whole.b, start - whole.a);
    while (aEnd > start && bEnd > other && a[aEnd - 1] === b[bEnd - 1]) {
      aEnd--;
      bEnd--;
    }
    yield;
    if (start < aEnd && other < bEnd) {
      const middle = { a: start, aEnd, b: other, bEnd };
      const runs = yield* this.#shortest(middle, Math.min(budget, this.#left));
      if (runs) for (const run of runs) this.#add(run.a, run.b, run.length);
      else if (mayDivide) yield* this.#divide(middle);
    }
    this.#add(aEnd, bEnd, whole.aEnd - aEnd);
  }

  #add(a: number, b: number, length: number): void {
    if (length > 0) this.runs.push({ a, b, length });
  }

  *#divide(whole: Stretch): Steps<void> {
    let { a, b } = whole;
    for (const anchor of yield* this.#anchors(whole)) {
      if (a < anchor.a || b < anchor.b)
        yield* this.find({ a, aEnd: anchor.a, b, bEnd: anchor.b }, this.#left, false);
      this.#add(anchor.a, anchor.b, 1);
      a = anchor.a + 1;
      b = anchor.b + 1;
    }
    yield* this.find({ a, aEnd: whole.aEnd, b, bEnd: whole.bEnd }, this.#left, false);
  }

  /** Lines that each text has exactly once, as many as keep their order. */
  *#anchors({ a, aEnd, b, bEnd }: Stretch): Steps<{ a: number; b: number }[]> {
    const places = new Map<number, number>();
    const twice = -1;
    for (let at = b; at < bEnd; at++) {
      const line = this.#b[at] as number;
      places.set(line, places.has(line) ? twice : at);
      if (at % stride === 0) yield;
    }
    const seen = new Map<number, number>();
    for (let at = a; at < aEnd; at++) {
      const line = this.#a[at] as number;
      seen.set(line, seen.has(line) ? twice : at);
      if (at % stride === 0) yield;
    }
    const pairs: { a: number; b: number }[] = [];
    for (const [line, at] of seen) {
      const place = places.get(line) ?? twice;
      if (at !== twice && place !== twice) pairs.push({ a: at, b: place });
    }
    yield;
    return yield* longestRising(pairs);
  }

  /**
   * furthest[k] is how far a path with `count` edits gets in `a` on the diagonal k = x − y. The arrays of all steps are kept to walk
   * back along the path that arrived. Undefined when the budget runs out.
   */
  *#shortest({ a, aEnd, b, bEnd }: Stretch, budget: number): Steps<CommonRun[] | undefined> {
    const [n, m] = [aEnd - a, bEnd - b];
    const steps: Int32Array[] = [];
    let furthest = new Int32Array(3);
    let spent = 0;
    for (let count = 0; count <= Math.min(maxEdits, n + m); count++) {
      const next = new Int32Array(2 * count + 3);
      for (let k = -count; k <= count; k += 2) {
        let x = isDown(furthest, count, k)
          ? at(furthest, count - 1, k + 1)
          : at(furthest, count - 1, k - 1) + 1;
        if (count === 0) x = 0;
        const from = x;
        while (x < n && x - k < m && this.#a[a + x] === this.#b[b + x - k]) x++;
        spent += x - from + 1;
        next[k + count + 1] = x;
        if (x < n || x - k < m) continue;
        this.#left -= spent;
        steps.push(next);
        return walkBack({ a, aEnd, b, bEnd }, steps);
      }
      steps.push(next);
      furthest = next;
      if (count % 32 === 0) yield;
      if (spent > budget) break;
    }
    this.#left -= spent;
    return undefined;
  }
}

function walkBack({ a, aEnd, b, bEnd }: Stretch, steps: readonly Int32Array[]): CommonRun[] {
  const runs: CommonRun[] = [];
  let x = aEnd - a;
  let y = bEnd - b;
  for (let count = steps.length - 1; count >= 0; count--) {
    const k = x - y;
    const before = steps[count - 1] ?? new Int32Array(3);
    const wasDown = isDown(before, count, k);
    const fromK = wasDown ? k + 1 : k - 1;
    const fromX = count === 0 ? 0 : at(before, count - 1, fromK);
    // The common lines of this step begin after its one edit.
    const start = count === 0 ? 0 : wasDown ? fromX : fromX + 1;
    if (x > start) runs.push({ a: a + start, b: b + start - k, length: x - start });
    x = fromX;
    y = fromX - fromK;
  }
  return runs.reverse();
}

/** Whether the best path onto diagonal k adds a line of b, rather than removing one of a. */
function isDown(furthest: Int32Array, count: number, k: number): boolean {
  if (k === -count) return true;
  return k !== count && at(furthest, count - 1, k - 1) < at(furthest, count - 1, k + 1);
}

function at(furthest: Int32Array, count: number, k: number): number {
  return furthest[k + count + 1] ?? 0;
}

/** The longest subsequence of the pairs, which are in the order of `a`, that also rises in `b`. */
function* longestRising<Pair extends { b: number }>(pairs: readonly Pair[]): Steps<Pair[]> {
  /** The last pair of the best sequence of each length. */
  const ends: number[] = [];
  const before = new Int32Array(pairs.length);
  for (const [index, { b }] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as Pair).b < b) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
    if (index % stride === 0) yield;
  }
  const rising: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] as number)
    rising.push(pairs[index] as Pair);
  return rising.reverse();
}
