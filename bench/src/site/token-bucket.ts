import type { Phase } from './overloaded-task.ts';

/** Full at first; refilled at the capacity of the phase that is running. */
export class TokenBucket {
  readonly #phases: readonly Phase[];
  readonly #burst: number;
  #tokens: number;
  #filledAtMs = 0;

  constructor(phases: readonly Phase[], burst: number) {
    this.#phases = phases;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Whether a request at this time is served. Times may not go backwards. */
  take(atMs: number): boolean {
    const added = requestsWithin(this.#phases, this.#filledAtMs, atMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + added);
    this.#filledAtMs = atMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** What an origin of this capacity can serve between two times. */
export function requestsWithin(phases: readonly Phase[], fromMs: number, toMs: number): number {
  let requests = 0;
  let startMs = 0;
  for (const [index, { seconds, capacity }] of phases.entries()) {
    const endMs = index === phases.length - 1 ? Number.POSITIVE_INFINITY : startMs + seconds * 1000;
    const overlapMs = Math.min(toMs, endMs) - Math.max(fromMs, startMs);
    if (overlapMs > 0) requests += (overlapMs / 1000) * capacity;
    startMs = endMs;
  }
  return requests;
}
