import { type Queryable, run, statement } from '../../base/database/statement.ts';
import {
  burnRetry,
  type FailedRun,
  failedRunValues,
  leaseEnded,
  requestedOr,
  transitionOr,
} from './end-run-sql.ts';
import {
  type ActedJob,
  type LeaseAnswers,
  outcomes,
  sortById,
  type WriteOutcome,
  type WrittenJob,
} from './held-job.ts';

const ended = requestedOr("CASE WHEN retry_count < max_retries THEN 'pending' ELSE 'failed' END");

export const retryNowStatement = statement<WrittenJob>(
  'retry-now',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::real[], $6::text[])
    AS held (id, fence, code, message, wait, actor)
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, retry_count = ${burnRetry},
    run_at = NULL,
    error_code = held.code, error_message = held.message,${leaseEnded(ended)}
  FROM held WHERE job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  RETURNING job.id, job.status AS to_status, job.fence, job.event_count, held.actor,
    held.code || ': ' || held.message AS reason
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, ${transitionOr('retryNow')}, 'processing', to_status, fence, actor, reason FROM ended
)
SELECT id, fence, to_status AS status FROM ended`,
);

/** Makes jobs ready again at once, or fails them when their retries are spent. For failures that bots report. */
export async function retryJobsNow(
  db: Queryable,
  runs: readonly (FailedRun & ActedJob)[],
  actor: string,
): Promise<LeaseAnswers<WriteOutcome>> {
  const actors = sortById(runs).map((failed) => failed.actor ?? actor);
  return outcomes(await run(db, retryNowStatement, [...failedRunValues(runs), actors]));
}
