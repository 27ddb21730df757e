import { type Queryable, run, statement } from '../../base/database/statement.ts';
import {
  burnRetry,
  type FailedRun,
  failedRunValues,
  leaseEnded,
  requestedOr,
  transitionOr,
} from './end-run-sql.ts';
import { type LeaseAnswers, outcomes, sortById, type WriteOutcome, type WrittenJob } from './held-job.ts';

const ended = requestedOr("CASE WHEN retry_count < max_retries THEN 'retryable' ELSE 'failed' END");

/** base × 2^retry_count plus up to 10 % jitter; at least what the site asked for, at most a day. */
const backoffSeconds = `least(86400, greatest(
      retry_backoff_seconds * power(2, least(retry_count, 30)) * (1 + 0.1 * random()), held.wait))`;

export const retryLaterStatement = statement<WrittenJob>(
  'retry-later',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::real[], $7::text[])
    AS held (id, fence, code, message, wait, blocked)
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, retry_count = ${burnRetry},
    next_retry_at = CASE WHEN ${ended} = 'retryable' THEN now() + make_interval(secs => ${backoffSeconds}) END,
    run_at = NULL, blocked_by = held.blocked::jsonb, failed_starts = 0,
    error_code = held.code, error_message = held.message,${leaseEnded(ended)}
  FROM held WHERE job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  RETURNING job.id, job.status AS to_status, job.fence, job.event_count, held.code || ': ' || held.message AS reason
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, ${transitionOr('retryLater')}, 'processing', to_status, fence, $6, reason FROM ended
)
SELECT id, fence, to_status AS status FROM ended`,
);

/** Retries jobs after a backoff, or fails them when their retries are spent. For transient errors. */
export async function retryJobsLater(
  db: Queryable,
  runs: readonly FailedRun[],
  actor: string,
): Promise<LeaseAnswers<WriteOutcome>> {
  const blocked = sortById(runs).map(({ blockedBy }) => blockedBy && JSON.stringify(blockedBy));
  return outcomes(await run(db, retryLaterStatement, [...failedRunValues(runs), actor, blocked]));
}
