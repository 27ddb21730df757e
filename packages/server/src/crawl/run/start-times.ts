/** Hosts whose last request is remembered; more than any crawl starts within its delay, in practice. */
const maxHosts = 100_000;

/** When the last request to each host started, for as long as that matters. Bounded: full, it lets no other host start. */
export class StartTimes {
  readonly #delayMs: number;
  readonly #limit: number;
  /** In the order of their times. */
  readonly #times = new Map<string, number>();

  constructor(delayMs: number, limit = maxHosts) {
    this.#delayMs = delayMs;
    this.#limit = limit;
  }

  /** When the next request to a host may start; a time that is past when it may now. */
  next(host: string, now: number): number {
    if (this.#delayMs === 0) return 0;
    const last = this.#times.get(host);
    if (last !== undefined) return last + this.#delayMs;
    for (const [first, time] of this.#times) {
      if (this.#times.size < this.#limit && now < time + this.#delayMs) return 0;
      if (now < time + this.#delayMs) return time + this.#delayMs;
      this.#times.delete(first);
    }
    return 0;
  }

  started(host: string, now: number): void {
    if (this.#delayMs === 0) return;
    this.#times.delete(host);
    this.#times.set(host, now);
  }
}
