import type { OutcomeReport } from './report-outcomes.ts';
import {
  isRefused,
  isSilent,
  isTooMany,
  judgeOutcome,
  type RequestOutcome,
  troubleOf,
} from './request-outcome.ts';

const slowerFactor = 1.25;
const longestRetryAfterMs = 86_400_000;
/** The interval for updating last_success_at while all is well. */
const successEveryMs = 30_000;
/** Beyond this many answers, earlier ones weigh half, so that a report is about the latest. */
const recentAnswers = 100;
/** From this many refusals on, a report is immediate; fewer are collected. */
const manyRefused = 3;
/** The shortest span over which successes per second are averaged. */
const leastSpanMs = 1_000;

/** When to report: at once, shortly together with other outcomes, or with the next regular report. */
type Urgency = 'now' | 'soon' | 'later';

/** The outcomes of a source that are not yet in the database. A success after successes costs a few additions. */
export class OutcomeNotes {
  readonly #latency = new LatencyWatch();
  #succeeded = false;
  #reportSuccessAt = 0;
  #failures = 0;
  #failedUrls = 0;
  /** Consecutive failures, reported or not. */
  #streak = 0;
  #slower = 1;
  #retryAfterMs = 0;
  #pageRetryAfterMs = 0;
  #answers = 0;
  #refused = 0;
  #failed = 0;
  #tooMany = false;
  #trouble: ReturnType<typeof troubleOf>;
  /** The next success is worth a report. */
  #hasReportedTrouble = false;
  #accepted = 0;
  #acceptedSince: number;
  /** Successes before `acceptedSince` that were not reported, and their time span. */
  #acceptedBefore = 0;
  #beforeMs = 0;

  constructor(now: number) {
    this.#acceptedSince = now;
  }

  /**
   * `state`: the consecutive failures in the database. `everyCounts`: each failure is the source's; in a crawl it may be the
   * page's.
   */
  note(
    outcome: RequestOutcome,
    clock: () => number,
    state: { readonly failure_streak: number; readonly failed_urls: number },
    everyCounts: boolean,
  ): Urgency {
    const trouble = troubleOf(outcome);
    if (trouble) {
      this.#trouble = trouble;
      this.#hasReportedTrouble = true;
      return 'soon';
    }
    const judgement = judgeOutcome(outcome);
    if (judgement === 'neither') return 'later';
    if (judgement === 'success') return this.#noteSuccess(outcome, clock, state);
    const isAgain = outcome.again === true && !everyCounts;
    const refused = isRefused(outcome);
    if (refused) this.#noteRetryAfter(outcome, isAgain);
    this.#tooMany ||= isTooMany(outcome);
    if (isAgain && !isTooMany(outcome)) return 'later';
    this.#count();
    if (refused) this.#refused++;
    else this.#failed++;
    if (!isAgain && !everyCounts) this.#failedUrls++;
    const counts = everyCounts || (isSilent(outcome) && !isAgain);
    if (counts) {
      this.#failures++;
      this.#streak++;
    }
    return counts || this.#tooMany || this.#refused >= manyRefused ? 'now' : 'soon';
  }

  get failures(): number {
    return this.#failures;
  }

  /** Consecutive failures seen by this process, including those in an unanswered report. */
  get streak(): number {
    return this.#streak;
  }

  /** Another worker has had a success. */
  endStreak(): void {
    this.#streak = 0;
  }

  /** Whether many unreported requests were refused: more would be, until the database has answered. */
  get isTurnedAway(): boolean {
    return this.#refused >= manyRefused && this.#refused * 4 >= this.#answers;
  }

  get retryAfterMs(): number {
    return this.#retryAfterMs;
  }

  /** Starts a new span for counting successes, without reading the clock for each of them. */
  roll(now: number): void {
    const spanMs = now - this.#acceptedSince;
    if (spanMs < leastSpanMs / 2) return;
    this.#acceptedBefore = this.#accepted;
    this.#beforeMs = Math.max(spanMs, 1);
    this.#accepted = 0;
    this.#acceptedSince = now;
  }

  /** Whether a regular report is due. */
  isDue(now: number): boolean {
    return (
      this.#refused + this.#failed > 0 ||
      this.#trouble !== undefined ||
      (this.#succeeded && now >= this.#reportSuccessAt)
    );
  }

  /** Returns the report and starts over; `restore` takes it back if it could not be written. */
  collect(sourceId: string, now: number): OutcomeReport {
    const report = {
      source_id: sourceId,
      succeeded: this.#succeeded,
      failures: this.#failures,
      failed_urls: this.#failedUrls,
      retry_after_ms: this.#retryAfterMs,
      page_retry_after_ms: this.#pageRetryAfterMs,
      slower: this.#slower,
      answers: this.#answers,
      refused: this.#refused,
      failed: this.#failed,
      told_429: this.#tooMany,
      trouble: this.#trouble?.code ?? null,
      trouble_host: this.#trouble?.host ?? null,
      ...this.#goodput(now),
    };
    if (this.#succeeded) this.#reportSuccessAt = now + successEveryMs;
    this.#succeeded = false;
    this.#failures = 0;
    this.#failedUrls = 0;
    this.#slower = 1;
    this.#retryAfterMs = 0;
    this.#pageRetryAfterMs = 0;
    this.#answers = 0;
    this.#refused = 0;
    this.#failed = 0;
    this.#tooMany = false;
    this.#trouble = undefined;
    this.#accepted = 0;
    this.#acceptedBefore = 0;
    this.#beforeMs = 0;
    this.#acceptedSince = now;
    return report;
  }

  restore(report: OutcomeReport): void {
    // Failures count since the last success, and a success noted meanwhile is later.
    if (!this.#succeeded) {
      this.#failures += report.failures;
      this.#failedUrls += report.failed_urls;
    }
    this.#succeeded ||= report.succeeded;
    this.#slower = Math.max(this.#slower, report.slower);
    this.#retryAfterMs = Math.max(this.#retryAfterMs, report.retry_after_ms);
    this.#pageRetryAfterMs = Math.max(this.#pageRetryAfterMs, report.page_retry_after_ms);
    this.#answers += report.answers;
    this.#refused += report.refused;
    this.#failed += report.failed;
    this.#tooMany ||= report.told_429;
    if (report.trouble !== null && !this.#succeeded)
      this.#trouble ??= { code: report.trouble, host: report.trouble_host };
  }

  #noteSuccess(
    outcome: RequestOutcome,
    clock: () => number,
    state: { readonly failure_streak: number; readonly failed_urls: number },
  ): Urgency {
    this.#succeeded = true;
    this.#accepted++;
    this.#count();
    const endsTrouble = this.#hasReportedTrouble;
    this.#hasReportedTrouble = false;
    this.#trouble = undefined;
    const endsStreak = this.#failures + state.failure_streak > 0;
    const endsUrls = this.#failedUrls + state.failed_urls > 0;
    this.#failures = 0;
    this.#failedUrls = 0;
    this.#streak = 0;
    if (outcome.kind !== 'error' && this.#latency.add(outcome.latencyMs, clock)) {
      this.#slower = slowerFactor;
      return 'now';
    }
    return endsStreak ? 'now' : endsUrls || endsTrouble ? 'soon' : 'later';
  }

  #noteRetryAfter(outcome: RequestOutcome, isAgain: boolean): void {
    const seconds = outcome.kind === 'error' ? undefined : outcome.retryAfterSeconds;
    if (!seconds || seconds <= 0) return;
    const ms = Math.min(seconds * 1000, longestRetryAfterMs);
    if (isTooMany(outcome)) this.#retryAfterMs = Math.max(this.#retryAfterMs, ms);
    else if (!isAgain) this.#pageRetryAfterMs = Math.max(this.#pageRetryAfterMs, ms);
  }

  #count(): void {
    if (++this.#answers <= recentAnswers) return;
    this.#answers /= 2;
    this.#refused /= 2;
    this.#failed /= 2;
  }

  /** After a pause, the successes of the last span count as if they had come at once: the mean starts with them. */
  #goodput(now: number): Pick<OutcomeReport, 'accepted' | 'span_seconds'> {
    const spanMs = now - this.#acceptedSince;
    if (this.#beforeMs === 0 && spanMs <= 2 * leastSpanMs)
      return { accepted: this.#accepted, span_seconds: spanMs / 1000 };
    const seconds = Math.max(spanMs + this.#beforeMs, leastSpanMs) / 1000;
    return { accepted: (this.#accepted + this.#acceptedBefore) / seconds, span_seconds: 0 };
  }
}

/** Below this latency an answer is fast, whatever came before: a busy worker must not look like a busy site. */
const slowMs = 1_000;
const riseFactor = 3;
const quietMs = 5_000;
/** Answers per window. Windows are compared by their medians, so that single slow pages do not matter. */
const windowSize = 32;

/** Detects that a source as a whole answers much more slowly than usual. */
class LatencyWatch {
  readonly #window = new Float64Array(windowSize);
  #count = 0;
  /** The usual median; undefined before the first window. */
  #usual: number | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** Returns true when the concurrency should be lowered; at most every five seconds. */
  add(latencyMs: number, clock: () => number): boolean {
    this.#window[this.#count++] = latencyMs;
    if (this.#count < windowSize) return false;
    this.#count = 0;
    const median = this.#window.sort()[windowSize / 2] ?? 0;
    const usual = this.#usual ?? median;
    // Fast down, slowly up: a source that stays slow is simply slow.
    this.#usual = median < usual ? median : usual + (median - usual) / 16;
    if (median < slowMs || median < riseFactor * usual) return false;
    const now = clock();
    if (now - this.#reportedAt < quietMs) return false;
    this.#reportedAt = now;
    return true;
  }
}
