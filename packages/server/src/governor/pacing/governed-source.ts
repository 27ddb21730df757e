import type { HostCause } from '@holdfast/contract';
import type { SourceState } from '../sources/source-state.ts';
import type { DatabaseLink } from './database-link.ts';
import { OutcomeNotes } from './outcome-notes.ts';
import type { Grant, Refusal } from './permit.ts';
import { ProbeKeeper, type ProbeResult } from './probe-keeper.ts';
import type { Breaker } from './report-outcomes.ts';
import { isSilent, isTooMany, judgeOutcome, type RequestOutcome } from './request-outcome.ts';
import { SlotKeeper } from './slot-keeper.ts';

export interface SourceOptions {
  readonly link: DatabaseLink;
  readonly breaker: Breaker;
  readonly probeTtlMs: number;
  /** There is something to report. */
  readonly onReport: (source: GovernedSource) => void;
}

/** A run's place at the source. */
export interface Seat {
  readonly isWaiting: boolean;
  /** Live runs at the source, as of the last renewal; 0 before the first. */
  readonly runs: number;
  /** When the share is due for renewal. */
  renewAt: number;
  hasRoom(now: number): boolean;
  /** A request may start. */
  ready(): void;
  /** Limits changed, or runs came or went. */
  renewSoon(): void;
}

const longestTimerMs = 60_000;
/** How long reports that are due soon are collected. While a source has a pace, every answer is reported this way. */
const soonMs = 250;
/** The longest pause while waiting for the database to decide about the pace. */
const brakeMs = 1_000;

/** A source as this process knows it, shared by all its runs. */
export class GovernedSource {
  readonly id: string;
  readonly seats = new Set<Seat>();
  readonly notes: OutcomeNotes;
  /** A report is not yet written, so that any state from the database is older. */
  reporting = false;
  /** No pace and no pause: requests need no slot. */
  free = false;
  readonly #options: SourceOptions;
  readonly #slots: SlotKeeper;
  readonly #probe: ProbeKeeper;
  #state: SourceState;
  #knownAt = 0;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #reportTimer: NodeJS.Timeout | undefined;

  constructor(state: SourceState, options: SourceOptions) {
    const { link, probeTtlMs } = options;
    this.id = state.source_id;
    this.#options = options;
    this.#state = state;
    this.notes = new OutcomeNotes(link.now());
    this.#slots = new SlotKeeper(link, this);
    this.#probe = new ProbeKeeper(link, this, probeTtlMs);
    this.#adopt(state);
  }

  /**
   * Takes the state that the database answered to a query sent at `sentAt`. Answers arrive in any order: one that is older than
   * the known state, or than an unwritten report, must not end a pause.
   */
  learn(state: SourceState, sentAt: number): void {
    if (this.reporting || sentAt < this.#knownAt) return;
    this.#knownAt = sentAt;
    this.#adopt(state);
    this.wake();
  }

  /** Takes the answer to a write: only queries sent from now on can be newer. */
  learnWritten(state: SourceState | undefined): void {
    this.#knownAt = this.#options.link.now();
    if (state && !this.reporting) this.#adopt(state);
    this.wake();
  }

  pause(now: number): Refusal | undefined {
    return this.#unless(this.#pausedUntil, now, 'paused');
  }

  /** Why no request may start now. Requests the slot or probe that is missing. */
  refusal(now: number): Refusal | undefined {
    if (now < this.#pausedUntil) return this.pause(now);
    if (this.#isHalfOpen) return this.#unless(this.#probe.next(now), now, 'probe');
    if (this.#state.interval_ms > 0) {
      return this.#unless(this.#slots.next(now, this.#state), now, this.#state.paced_by);
    }
    this.free = true;
    return undefined;
  }

  /** Takes the slot or probe that `refusal` found. */
  take(): Grant {
    if (this.#isHalfOpen) return { probe: this.#probe.take() };
    return this.#state.interval_ms > 0 ? { slot: this.#slots.take() } : {};
  }

  giveBack({ slot, probe }: Grant): void {
    if (slot !== undefined) this.#slots.giveBack(slot);
    if (probe !== undefined) void this.#probe.settle(probe, 'neither', 0);
    this.wake();
  }

  /** `everyCounts`: a failure is the source's, not that of one of a crawl's many pages. */
  end(outcome: RequestOutcome, probe: string | undefined, everyCounts: boolean): void {
    const { breaker, link, onReport } = this.#options;
    if (probe !== undefined) {
      void this.#probe.settle(probe, judgeProbe(outcome, everyCounts), breaker.pauseSeconds);
      return;
    }
    const urgency = this.notes.note(outcome, link.now, this.#state, everyCounts);
    if (urgency === 'later' && this.#state.pace_per_minute === null) return;
    if (urgency !== 'now') {
      this.#reportTimer ??= setTimeout(() => this.#reportNow(), soonMs);
      return;
    }
    // The database decides, but nothing may start until it has answered.
    const { failures, streak, retryAfterMs } = this.notes;
    const inARow = Math.max(failures + this.#state.failure_streak, streak);
    const opens = inARow >= breaker.failures ? breaker.pauseSeconds * 1000 : 0;
    const holdMs = Math.max(opens, retryAfterMs, this.notes.isTurnedAway ? brakeMs : 0);
    if (holdMs > 0) this.#hold(link.now() + holdMs);
    this.reporting = true;
    this.#forgetReport();
    onReport(this);
  }

  get isOverloaded(): boolean {
    return this.#state.pace_per_minute !== null || this.#state.pause_reason === 'retry_after';
  }

  /** What holds requests back now. A pause that the database does not know of yet follows failures. */
  get heldBy(): { readonly cause: HostCause; readonly isKnown: boolean } {
    if (this.#options.link.now() >= this.#pausedUntil) return { cause: 'limit', isKnown: false };
    const { pause_reason, paused_until_ms } = this.#state;
    const isKnown = paused_until_ms > 0;
    if (!isKnown) return { cause: 'failures', isKnown };
    return { cause: pause_reason ?? 'disabled', isKnown };
  }

  blockedUntil(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil;
    return this.#state.interval_ms > 0 && !this.#isHalfOpen ? this.#slots.peek(now) : 0;
  }

  /** Starts waiting requests if possible, and otherwise tries again when it may be. */
  wake(): void {
    const now = this.#options.link.now();
    if (!this.#isAwaited(now)) return;
    if (this.refusal(now)) {
      this.lookAgain(now);
      return;
    }
    // Round robin, so that the first of several runs does not get every slot.
    const [first] = this.seats;
    if (first && this.seats.delete(first)) this.seats.add(first);
    for (const seat of [...this.seats]) seat.ready();
    // Seats that could not start wait for the next slot.
    if (this.#isAwaited(now) && this.refusal(now)) this.lookAgain(now);
  }

  /** Schedules `wake` for when a request may start; answers of the database call it too. */
  lookAgain(now: number): void {
    const at = Math.max(this.#nextLook(now), now + 1);
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const onTime = () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.wake();
    };
    this.#timer = setTimeout(onTime, Math.min(Math.ceil(at - now), longestTimerMs));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#forgetReport();
    await this.#probe.giveUp();
  }

  get #isHalfOpen(): boolean {
    return this.#state.pause_reason === 'failures';
  }

  /** Whether a run with room for a request is waiting. */
  #isAwaited(now: number): boolean {
    for (const seat of this.seats) if (seat.isWaiting && seat.hasRoom(now)) return true;
    return false;
  }

  #adopt(state: SourceState): void {
    const { link } = this.#options;
    const slower = state.interval_ms > this.#state.interval_ms * 1.01;
    const reshared = state.concurrency !== this.#state.concurrency;
    this.#state = state;
    this.#pausedUntil = state.paused_until_ms > 0 ? link.clock.latest(state.paused_until_ms) : 0;
    if (slower || link.now() < this.#pausedUntil) this.#slots.clear();
    this.free = false;
    if (state.failure_streak === 0 && this.notes.failures === 0) this.notes.endStreak();
    if (reshared) for (const seat of this.seats) seat.renewSoon();
  }

  #reportNow(): void {
    this.#reportTimer = undefined;
    this.#options.onReport(this);
  }

  #forgetReport(): void {
    clearTimeout(this.#reportTimer);
    this.#reportTimer = undefined;
  }

  #hold(until: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#slots.clear();
    this.free = false;
  }

  #unless(at: number, now: number, reason: Refusal['reason']): Refusal | undefined {
    return at <= now ? undefined : { waitUntil: at, reason };
  }

  #nextLook(now: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil;
    return this.#isHalfOpen ? this.#probe.wakeAt() : this.#slots.wakeAt(now);
  }
}

/** A page that failed before may fail again although its source has recovered: then another page decides. */
function judgeProbe(outcome: RequestOutcome, everyCounts: boolean): ProbeResult {
  const judgement = judgeOutcome(outcome);
  const isPageOnly = outcome.again === true && !everyCounts && !isSilent(outcome) && !isTooMany(outcome);
  return judgement === 'failure' && isPageOnly ? 'neither' : judgement;
}
