/** Below this an answer is quick, whatever it was before: a busy machine of ours must not look like a busy site. */
const slowMs = 1_000;
const riseFactor = 3;
const quietMs = 5_000;
/** Answers that are compared at a time, by their median: slow pages among them change nothing. */
const windowSize = 32;

/** Notices that a source as a whole answers much more slowly than it used to. */
export class LatencyWatch {
  readonly #window = new Float64Array(windowSize);
  #count = 0;
  /** The median of most windows; undefined before the first. */
  #usual: number | undefined;
  #saidAt = Number.NEGATIVE_INFINITY;

  /** True when it is time to ask for less at a time; at most every five seconds. */
  add(latencyMs: number, clock: () => number): boolean {
    this.#window[this.#count++] = latencyMs;
    if (this.#count < windowSize) return false;
    this.#count = 0;
    const median = this.#window.sort()[windowSize / 2] ?? 0;
    const usual = this.#usual ?? median;
    // Quickly down, slowly up: what is slow for long is its nature.
    this.#usual = median < usual ? median : usual + (median - usual) / 16;
    if (median < slowMs || median < riseFactor * usual) return false;
    const now = clock();
    if (now - this.#saidAt < quietMs) return false;
    this.#saidAt = now;
    return true;
  }
}
