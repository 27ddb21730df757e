import type { HoldfastError } from '@holdfast/contract';
import { type HeldJob, sortById } from './held-job.ts';
import type { BlockedBy } from './waiting-jobs.ts';

/** A run that failed, and why. */
export interface FailedRun extends HeldJob {
  readonly error: HoldfastError;
  /** Least wait before a retry, if the site asked for one (Retry-After). */
  readonly retryAfterSeconds?: number;
  /** Where it failed: resuming the source of that host wakes the job. */
  readonly blockedBy?: BlockedBy | undefined;
}

/** The parameters $1 to $5 of statements that record failed runs: ids, fences, codes, messages, seconds to wait. */
export function failedRunValues(runs: readonly FailedRun[]): unknown[] {
  const sorted = sortById(runs);
  return [
    sorted.map((run) => run.id),
    sorted.map((run) => run.fence),
    sorted.map((run) => run.error.code),
    sorted.map((run) => storableText(run.error.message)),
    sorted.map((run) => run.retryAfterSeconds ?? null),
  ];
}

const maxMessageLength = 2_000;

/** Messages contain text from sites; PostgreSQL refuses NUL and lone surrogates. */
function storableText(text: string): string {
  return text.replaceAll('\0', '�').toWellFormed().slice(0, maxMessageLength).toWellFormed();
}

/*
 * A requested pause or cancel outlives every end of a run except completion: the job becomes paused or cancelled and burns no
 * retry. The statements that end runs share these expressions so that they cannot disagree.
 */

/** The status after the run: what was requested, else `otherwise`. */
export const requestedOr = (otherwise: string) =>
  `CASE requested_action WHEN 'pause' THEN 'paused' WHEN 'cancel' THEN 'cancelled' ELSE ${otherwise} END::job_status`;

/** The new retry_count: unchanged when a request ends the run, and never above the maximum. */
export const burnRetry =
  'retry_count + CASE WHEN requested_action IS NULL AND retry_count < max_retries THEN 1 ELSE 0 END';

/** The columns that follow from the new status. `ended` is the expression from requestedOr. */
export const leaseEnded = (ended: string, events = '1') => `
    lease_expires_at = NULL, requested_action = NULL, runners = NULL, event_count = event_count + ${events},
    worker_id = CASE WHEN ${ended} IN ('pending', 'retryable', 'paused') THEN NULL ELSE worker_id END,
    completed_at = CASE WHEN ${ended} IN ('failed', 'cancelled', 'expired') THEN now() END`;

/** The transition in the event of an ended run. */
export const transitionOr = (transition: string) =>
  `CASE to_status WHEN 'paused' THEN 'pause' WHEN 'cancelled' THEN 'cancel' ELSE '${transition}' END::job_transition`;
