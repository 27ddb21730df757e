import type { RequestOutcome } from './request-outcome.ts';
import type { SourceSeat } from './source-seat.ts';

/** What a source gave for one request, besides a place among those under way. */
export interface Grant {
  /** The reserved slot, if the source has a pace. */
  readonly slot?: number;
  /** Set on the one request that tests whether a paused source is well again. */
  readonly probe?: string;
}

/** The right to start one request. It ends with `done` or `cancel`; a second end changes nothing. */
export class Permit {
  readonly #seat: SourceSeat;
  readonly #grant: Grant | undefined;
  #ended = false;

  constructor(seat: SourceSeat, grant?: Grant) {
    this.#seat = seat;
    this.#grant = grant;
  }

  /** Whether the breaker's fate hangs on this request. */
  get isProbe(): boolean {
    return this.#grant?.probe !== undefined;
  }

  done(outcome: RequestOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#seat.end(outcome, this.#grant);
  }

  /** The request was never started: its slot and its place are free again. */
  cancel(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#seat.giveUp(this.#grant);
  }
}
