import { LatencyWatch } from './latency-watch.ts';
import type { OutcomeReport } from './report-outcomes.ts';
import { isOverloaded, judgeOutcome, type RequestOutcome } from './request-outcome.ts';

const overloadedFactor = 2;
const risingFactor = 1.5;
const longestRetryAfterMs = 86_400_000;
/** last_success_at is written no more often than this while all goes well. */
const successEveryMs = 30_000;

/** What was seen of a source and is not yet in the database. A success after successes costs a few additions. */
export class OutcomeNotes {
  readonly #latency = new LatencyWatch();
  #succeeded = false;
  #reportSuccessAt = 0;
  #failures = 0;
  /** Failures in a row, reported or not. */
  #streak = 0;
  #slower = 1;
  #retryAfterMs = 0;

  /** True: to be reported at once. `streak`: failures in a row that the database knows of. */
  note(outcome: RequestOutcome, clock: () => number, streak: number): boolean {
    const judgement = judgeOutcome(outcome);
    if (judgement === 'neither') return false;
    let urgent = outcome.kind !== 'error' && this.#latency.add(outcome.latencyMs, clock);
    if (urgent) this.#slower = Math.max(this.#slower, risingFactor);
    if (judgement === 'success') {
      this.#succeeded = true;
      urgent ||= this.#failures + streak > 0;
      this.#failures = 0;
      this.#streak = 0;
      return urgent;
    }
    this.#failures++;
    this.#streak++;
    if (isOverloaded(outcome)) {
      this.#slower = overloadedFactor;
      const seconds = outcome.kind === 'error' ? undefined : outcome.retryAfterSeconds;
      if (seconds && seconds > 0) {
        this.#retryAfterMs = Math.min(Math.max(this.#retryAfterMs, seconds * 1000), longestRetryAfterMs);
      }
    }
    return true;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Failures in a row that were seen here, also those in a report whose answer has not come. */
  get streak(): number {
    return this.#streak;
  }

  /** Somebody had a success meanwhile. */
  endStreak(): void {
    this.#streak = 0;
  }

  get retryAfterMs(): number {
    return this.#retryAfterMs;
  }

  /** Whether an unhurried report is due. */
  isDue(now: number): boolean {
    return this.#failures > 0 || (this.#succeeded && now >= this.#reportSuccessAt);
  }

  /** Hands over what was noted; `restore` takes it back if it could not be written. */
  collect(sourceId: string, now: number): OutcomeReport {
    const report = {
      sourceId,
      succeeded: this.#succeeded,
      failures: this.#failures,
      slower: this.#slower,
      retryAfterMs: this.#retryAfterMs,
    };
    if (this.#succeeded) this.#reportSuccessAt = now + successEveryMs;
    this.#succeeded = false;
    this.#failures = 0;
    this.#slower = 1;
    this.#retryAfterMs = 0;
    return report;
  }

  restore(report: OutcomeReport): void {
    // Failures count from the last success on, and what was noted meanwhile is later.
    if (!this.#succeeded) this.#failures += report.failures;
    this.#succeeded ||= report.succeeded;
    this.#slower = Math.max(this.#slower, report.slower);
    this.#retryAfterMs = Math.max(this.#retryAfterMs, report.retryAfterMs);
  }
}
