import type { RequestOutcome } from './request-outcome.ts';

/** The right to start one request. It ends with `done` or `cancel`; a second end changes nothing. */
export class Permit {
  readonly #issuer: PermitIssuer;
  readonly #grant: Grant | undefined;
  #ended = false;

  constructor(issuer: PermitIssuer, grant?: Grant) {
    this.#issuer = issuer;
    this.#grant = grant;
  }

  /** Whether the breaker's fate hangs on this request. */
  get isProbe(): boolean {
    return this.#grant?.probe !== undefined;
  }

  done(outcome: RequestOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#issuer.end(outcome, this.#grant);
  }

  /** The request was never started: its slot and its place are free again. */
  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#issuer.giveUp(this.#grant);
  }
}

/** What a source gave for one request, besides a place among those under way. */
export interface Grant {
  /** The reserved slot, if the source has a pace. */
  readonly slot?: number;
  /** Set on the one request that tests whether a paused source is well again. */
  readonly probe?: string;
}

/** Where a permit counts as one request under way. */
export interface PermitIssuer {
  end(outcome: RequestOutcome, grant: Grant | undefined): void;
  /** The request was never started. */
  giveUp(grant: Grant | undefined): void;
}

/** A request may not start now. */
export interface Refusal {
  /** Monotonic milliseconds: about when to ask again, unless onReady comes before; Infinity: only an operator can help. */
  readonly waitUntil: number;
  readonly reason: RefusalReason;
}

/**
 * delay        a Crawl-delay, a configured delay or a slow-down
 * rate         the limit per minute
 * concurrency  as many requests as may be are under way
 * paused       by an operator, the breaker or a Retry-After
 * probe        the breaker lets one request through, and it is not ours
 * loading      the source or this run's share of it is on its way from the database
 */
type RefusalReason = 'delay' | 'rate' | 'concurrency' | 'paused' | 'probe' | 'loading';
