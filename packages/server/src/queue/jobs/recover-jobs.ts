import { errors, type JobStatus } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { burnRetry, leaseEnded, requestedOr, transitionOr } from './ended-by-request.ts';
import { leaseEnd } from './lease-end.ts';

export interface RecoveredJob {
  readonly id: string;
  readonly status: JobStatus;
  readonly prior_worker: string;
  readonly retry_count: number;
  readonly max_retries: number;
}

const ended = requestedOr(
  "CASE WHEN retry_count < max_retries THEN 'pending' WHEN executor = 'bot' THEN 'expired' ELSE 'failed' END",
);

const events = `CASE WHEN executor = 'bot' AND ${ended} = 'pending' THEN 2 ELSE 1 END`;

/*
 * Only the database's clock decides. The row is locked before it is judged, and a row that is locked is left alone: its
 * holder is alive and writing. A job held by a bot passes through expired, so that two events are recorded for it.
 */
export const recoverStatement = statement<RecoveredJob>(
  'recover',
  `
WITH stale AS MATERIALIZED (
  SELECT id, worker_id AS prior_worker FROM crawl_jobs
  WHERE status = 'processing' AND ${leaseEnd('crawl_jobs')} <= now()
  LIMIT $1 FOR UPDATE SKIP LOCKED
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, retry_count = ${burnRetry}, run_at = NULL,
    error_code = 'worker_timed_out',
    error_message = CASE WHEN ${ended} IN ('failed', 'expired') THEN $2 ELSE 'Worker timed out' END,${leaseEnded(ended, events)}
  WHERE id = ANY (ARRAY(SELECT id FROM stale))
  RETURNING job.id, job.executor, job.status AS final_status, job.fence, job.event_count, job.retry_count, job.max_retries
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count - later, ${transitionOr('recover')}, step.from_status, step.to_status, fence, $3,
    'Worker timed out: ' || prior_worker || ' let its lease run out'
  FROM ended JOIN stale USING (id)
  CROSS JOIN LATERAL (
    SELECT 0 AS later, 'processing'::job_status AS from_status, final_status AS to_status
    WHERE executor <> 'bot' OR final_status <> 'pending'
    UNION ALL SELECT 1, 'processing', 'expired' WHERE executor = 'bot' AND final_status = 'pending'
    UNION ALL SELECT 0, 'expired', 'pending' WHERE executor = 'bot' AND final_status = 'pending'
  ) step
)
SELECT id, final_status AS status, prior_worker, retry_count, max_retries FROM ended JOIN stale USING (id)`,
);

/** Ends the leases that ran out, up to `limit` of them. Any number of watchdogs may do it at once. */
export function recoverJobs(db: Queryable, actor: string, limit = 1000): Promise<RecoveredJob[]> {
  return run(db, recoverStatement, [limit, errors.worker_timed_out.message, actor]);
}
