import type { RequestOutcome } from './request-outcome.ts';

/** Permission to start one request. It ends with `done` or `cancel`; further calls have no effect. */
export class Permit {
  readonly #issuer: PermitIssuer;
  readonly #grant: Grant | undefined;
  #ended = false;

  constructor(issuer: PermitIssuer, grant?: Grant) {
    this.#issuer = issuer;
    this.#grant = grant;
  }

  /** Whether this request decides if the breaker closes. */
  get isProbe(): boolean {
    return this.#grant?.probe !== undefined;
  }

  done(outcome: RequestOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#issuer.end(outcome, this.#grant);
  }

  /** The request was not started: releases its slot and its place. */
  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#issuer.giveUp(this.#grant);
  }
}

/** What a source granted for one request, besides a place among those in flight. */
export interface Grant {
  /** The reserved slot, if the source has a pace. */
  readonly slot?: number;
  /** Set on the one request that tests whether a paused source has recovered. */
  readonly probe?: string;
}

/** Counts the permits that are in use. */
export interface PermitIssuer {
  end(outcome: RequestOutcome, grant: Grant | undefined): void;
  /** The request was not started. */
  giveUp(grant: Grant | undefined): void;
}

/** A request may not start now. */
export interface Refusal {
  /** Monotonic milliseconds: about when to ask again, unless onReady calls earlier; Infinity: not before an operator resumes it. */
  readonly waitUntil: number;
  readonly reason: RefusalReason;
}

/**
 * delay        a Crawl-delay, a configured delay or a slowdown
 * rate         the limit per minute
 * concurrency  as many requests as allowed are in flight
 * paused       by an operator, the breaker or a Retry-After
 * probe        the breaker lets one request of another run through
 * loading      the source, or this run's share of it, is being loaded
 */
type RefusalReason = 'delay' | 'rate' | 'concurrency' | 'paused' | 'probe' | 'loading';
