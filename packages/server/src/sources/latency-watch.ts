/** Below this an answer is quick, whatever it was before: a busy machine of ours must not look like a busy site. */
const slowMs = 1_000;
const riseFactor = 3;
const quietMs = 5_000;
const enough = 32;

/** Notices that a source answers much more slowly than it used to. */
export class LatencyWatch {
  #recent = 0;
  #usual = 0;
  #count = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  /** True when it is time to go slower; at most every five seconds. */
  add(latencyMs: number, clock: () => number): boolean {
    this.#count++;
    // Plain means at first, then moving ones.
    this.#recent += (latencyMs - this.#recent) / Math.min(this.#count, 16);
    this.#usual += (latencyMs - this.#usual) / Math.min(this.#count, 512);
    if (this.#recent < slowMs || this.#recent < riseFactor * this.#usual || this.#count < enough)
      return false;
    const now = clock();
    if (now - this.#saidAt < quietMs) return false;
    this.#saidAt = now;
    return true;
  }
}
