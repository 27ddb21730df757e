import type { GovernedSource, Seat } from './governed-source.ts';
import type { Grant, PermitIssuer, Refusal } from './permit.ts';
import type { RequestOutcome } from './request-outcome.ts';
import type { RenewedShare } from './source-shares.ts';

/** How soon a run with less than its fair share tries to renew it. */
const hungryMs = 250;

/** The run that a seat belongs to. */
interface SeatOwner {
  readonly everyCounts: boolean;
  now(): number;
  /** The host may be requested again. */
  announce(host: string): void;
  /** A share is due for renewal. */
  renewSoon(): void;
}

/** One run's place at one source: its share of the concurrency, and its requests in flight. */
export class SourceSeat implements Seat, PermitIssuer {
  readonly source: GovernedSource;
  lastAskedAt: number;
  /** When the share is due for renewal. */
  renewAt = 0;
  /** Live runs at the source, as of the last renewal; 0 before the first. */
  runs = 0;
  readonly #run: SeatOwner;
  /** Hosts that were refused and not announced since. */
  readonly #waiting = new Set<string>();
  #inFlight = 0;
  /** Requests that may be in flight, until `shareUntil`. */
  #share = 0;
  #shareUntil = 0;
  /** The database still counts more than the share, because more requests were in flight. */
  #shrinking = false;

  constructor(run: SeatOwner, source: GovernedSource) {
    this.#run = run;
    this.source = source;
    this.lastAskedAt = run.now();
    source.seats.add(this);
  }

  hasRoom(now: number): boolean {
    return this.#inFlight < this.#share && now < this.#shareUntil;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The maximum in flight before a renewal is answered. */
  kept(now: number): number {
    return now < this.#shareUntil ? Math.max(this.#share, this.#inFlight) : this.#inFlight;
  }

  learnShare({ share, target, runs, concurrency }: RenewedShare, kept: number, until: number): void {
    const now = this.#run.now();
    this.#share = share;
    this.#shareUntil = until;
    this.runs = runs;
    this.renewAt = share < target || runs > concurrency ? now + hungryMs : (now + until) / 2;
    this.#shrinking = share < kept;
    this.#settleShare();
  }

  start(host: string): void {
    this.#inFlight++;
    if (this.#waiting.size > 0) this.#waiting.delete(host);
  }

  /** `refusal`: the source's; without one the share is used up. */
  refuse(host: string, refusal: Refusal | undefined, now: number): Refusal {
    this.#waiting.add(host);
    if (!refusal) return { waitUntil: now + hungryMs, reason: this.runs === 0 ? 'loading' : 'concurrency' };
    this.source.lookAgain(now);
    return refusal;
  }

  /**
   * Announces hosts that were refused, one by one as long as a request can start. The others come first the next time.
   */
  ready(): void {
    for (const host of [...this.#waiting]) {
      const now = this.#run.now();
      if (!this.hasRoom(now) || (!this.source.free && this.source.refusal(now))) return;
      this.#waiting.delete(host);
      this.#run.announce(host);
    }
  }

  /** The host has moved to another source. */
  forget(host: string): void {
    this.#waiting.delete(host);
  }

  end(outcome: RequestOutcome, grant: Grant | undefined): void {
    this.#leave();
    this.source.end(outcome, grant?.probe, this.#run.everyCounts);
  }

  giveUp(grant: Grant | undefined): void {
    this.#leave();
    if (grant) this.source.giveBack(grant);
  }

  /** Limits changed, or runs came or went. */
  renewSoon(): void {
    this.renewAt = 0;
    this.#run.renewSoon();
  }

  #leave(): void {
    this.#inFlight--;
    if (this.#shrinking) this.#settleShare();
    // Deferred: the caller that ends a request may be about to start the next one.
    if (this.#waiting.size > 0) queueMicrotask(() => this.source.wake());
  }

  #settleShare(): void {
    if (!this.#shrinking || this.#inFlight > this.#share) return;
    this.#shrinking = false;
    this.renewSoon();
  }
}
