/** How many requests a second an origin serves, and for how long. */
export interface Phase {
  readonly seconds: number;
  readonly capacity: number;
}

export interface OverloadedTask {
  /** From the first request on, one after the other; the last one does not end. */
  readonly phases: readonly Phase[];
  /** Requests that it takes at once after a rest. */
  readonly burst: number;
  /** Until a page is served. Refusals come at once. */
  readonly delayMs: number;
  readonly refusal: 429 | 503;
  /** In seconds; without it, the header is not sent. */
  readonly retryAfter?: number;
}

/** A line of the origin's log. */
export interface OriginAnswer {
  /** Since the first request. */
  readonly atMs: number;
  readonly served: boolean;
}
