/**
 * delay        a Crawl-delay, a configured delay or a slow-down
 * rate         the limit per minute
 * concurrency  as many requests as may be are under way
 * paused       by an operator, the breaker or a Retry-After
 * probe        the breaker lets one request through, and it is not ours
 * loading      the source or this run's share of it is on its way from the database
 */
export type RefusalReason = 'delay' | 'rate' | 'concurrency' | 'paused' | 'probe' | 'loading';

/** A request may not start now. */
export interface Refusal {
  /** Monotonic milliseconds: about when to ask again, unless onReady comes before; Infinity: only an operator can help. */
  readonly waitUntil: number;
  readonly reason: RefusalReason;
}
