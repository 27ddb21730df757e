import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

const pauseStatement = statement<Job>(
  'pause',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND (status IN ('pending', 'retryable')
    OR status = 'processing' AND requested_action IS NULL)
  ORDER BY id FOR UPDATE
),
changed AS (
  UPDATE crawl_jobs job SET
    status = CASE job.status WHEN 'processing' THEN 'processing' ELSE 'paused' END::job_status,
    requested_action = CASE job.status WHEN 'processing' THEN 'pause' END::job_action,
    next_retry_at = NULL, event_count = event_count + 1
  FROM found WHERE job.id = found.id
  RETURNING job.*, found.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'pause', from_status, status, fence, $2, $3 FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

/** Pauses jobs that do not run and asks the holders of running ones to release them. Returns the changed jobs. */
export function pauseJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, pauseStatement, [ids, actor, reason]);
}
