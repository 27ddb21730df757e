export interface ImperfectTask {
  readonly pages: number;
  /** What the faults are drawn from; without it there are none. */
  readonly seed?: number;
  /** Until an answer comes that is not slower than the others. */
  readonly delayMs: number;
}

/** A line of the origin's log: a page that was sent to its last byte. */
export interface SentPage {
  readonly page: number;
  /** Since the first request that the origin had. */
  readonly atMs: number;
}
