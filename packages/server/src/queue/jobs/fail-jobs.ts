import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type FailedRun, failedRunValues, leaseEnded, requestedOr, transitionOr } from './end-run-sql.ts';
import { type LeaseAnswers, outcomes, type WriteOutcome, type WrittenJob } from './held-job.ts';

const ended = requestedOr("'failed'");

export const failStatement = statement<WrittenJob>(
  'fail',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::real[])
    AS held (id, fence, code, message, wait)
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended},
    error_code = held.code, error_message = held.message,${leaseEnded(ended)}
  FROM held WHERE job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  RETURNING job.id, job.status AS to_status, job.fence, job.event_count, held.code || ': ' || held.message AS reason
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, ${transitionOr('fail')}, 'processing', to_status, fence, $6, reason FROM ended
)
SELECT id, fence, to_status AS status FROM ended`,
);

/** Fails jobs for good: no retry would help. */
export async function failJobs(
  db: Queryable,
  runs: readonly FailedRun[],
  actor: string,
): Promise<LeaseAnswers<WriteOutcome>> {
  return outcomes(await run(db, failStatement, [...failedRunValues(runs), actor]));
}
