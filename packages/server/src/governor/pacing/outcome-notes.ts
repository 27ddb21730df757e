import { LatencyWatch } from './latency-watch.ts';
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
/** last_success_at is written no more often than this while all goes well. */
const successEveryMs = 30_000;
/** Of more answers than this, those of before weigh half: what is reported is about the latest ones. */
const recentAnswers = 100;
/** So many refusals are told at once; fewer can wait to be told together. */
const manyRefused = 3;
/** Good answers a second are told as a mean over no less than this. */
const leastSpanMs = 1_000;

/** When what was noted is to be reported: at once, together with what comes in a moment, or when a report is due anyway. */
export type Urgency = 'now' | 'soon' | 'later';

/** What was seen of a source and is not yet in the database. A success after successes costs a few additions. */
export class OutcomeNotes {
  readonly #latency = new LatencyWatch();
  #succeeded = false;
  #reportSuccessAt = 0;
  #failures = 0;
  #failedUrls = 0;
  /** Failures in a row, reported or not. */
  #streak = 0;
  #slower = 1;
  #retryAfterMs = 0;
  #pageRetryAfterMs = 0;
  #answers = 0;
  #refused = 0;
  #failed = 0;
  #tooMany = false;
  #trouble: ReturnType<typeof troubleOf>;
  /** A success would be news. */
  #hasToldTrouble = false;
  #accepted = 0;
  #acceptedSince: number;
  /** Of the second before `acceptedSince`, as long as nothing was reported. */
  #acceptedBefore = 0;
  #beforeMs = 0;

  constructor(now: number) {
    this.#acceptedSince = now;
  }

  /**
   * `state`: failures in a row that the database knows of. `everyCounts`: all requests are alike, and a failure is the
   * source's; a crawl's may be the page's.
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
      this.#hasToldTrouble = true;
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

  /** Failures in a row that were seen here, also those in a report whose answer has not come. */
  get streak(): number {
    return this.#streak;
  }

  /** Somebody had a success meanwhile. */
  endStreak(): void {
    this.#streak = 0;
  }

  /** A good part of what was not yet reported is refused: more of the same would be, while the database is asked. */
  get isTurnedAway(): boolean {
    return this.#refused >= manyRefused && this.#refused * 4 >= this.#answers;
  }

  get retryAfterMs(): number {
    return this.#retryAfterMs;
  }

  /** Good answers are counted by the second, without a look at the clock for each. */
  roll(now: number): void {
    const spanMs = now - this.#acceptedSince;
    if (spanMs < leastSpanMs / 2) return;
    this.#acceptedBefore = this.#accepted;
    this.#beforeMs = Math.max(spanMs, 1);
    this.#accepted = 0;
    this.#acceptedSince = now;
  }

  /** Whether an unhurried report is due. */
  isDue(now: number): boolean {
    return (
      this.#refused + this.#failed > 0 ||
      this.#trouble !== undefined ||
      (this.#succeeded && now >= this.#reportSuccessAt)
    );
  }

  /** Hands over what was noted; `restore` takes it back if it could not be written. */
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
    // Failures count from the last success on, and what was noted meanwhile is later.
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
    const endsTrouble = this.#hasToldTrouble;
    this.#hasToldTrouble = false;
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

  /** After a silence, what came in the last second or so, as if it had come at once: the mean begins with it. */
  #goodput(now: number): Pick<OutcomeReport, 'accepted' | 'span_seconds'> {
    const spanMs = now - this.#acceptedSince;
    if (this.#beforeMs === 0 && spanMs <= 2 * leastSpanMs)
      return { accepted: this.#accepted, span_seconds: spanMs / 1000 };
    const seconds = Math.max(spanMs + this.#beforeMs, leastSpanMs) / 1000;
    return { accepted: (this.#accepted + this.#acceptedBefore) / seconds, span_seconds: 0 };
  }
}
