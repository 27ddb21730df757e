import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

const cancelStatement = statement<Job>(
  'cancel',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND (status IN ('pending', 'retryable', 'paused')
    OR status = 'processing' AND requested_action IS DISTINCT FROM 'cancel')
  ORDER BY id FOR UPDATE
),
changed AS (
  UPDATE crawl_jobs job SET
    status = CASE job.status WHEN 'processing' THEN 'processing' ELSE 'cancelled' END::job_status,
    requested_action = CASE job.status WHEN 'processing' THEN 'cancel' END::job_action,
    completed_at = CASE job.status WHEN 'processing' THEN NULL ELSE now() END,
    next_retry_at = NULL, event_count = event_count + 1
  FROM found WHERE job.id = found.id
  RETURNING job.*, found.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'cancel', from_status, status, fence, $2, $3 FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

/** Cancels jobs that do not run and asks the holders of running ones to abort. Returns the changed jobs. */
export function cancelJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, cancelStatement, [ids, actor, reason]);
}
