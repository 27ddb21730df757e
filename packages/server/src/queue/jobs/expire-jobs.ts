import { errors, type Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

const expireStatement = statement<Job>(
  'expire',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND status = 'processing'
  ORDER BY id FOR UPDATE
),
changed AS (
  UPDATE crawl_jobs job SET
    status = 'expired', fence = fence + 1, completed_at = now(), lease_expires_at = NULL, requested_action = NULL, runners = NULL,
    error_code = 'expired_by_request', error_message = $4 || concat_ws(': ', ' (' || $2::text || ')', $3::text),
    event_count = event_count + 1
  FROM found WHERE job.id = found.id
  RETURNING job.*, found.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'expire', from_status, status, fence, $2, $3 FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

/** Ends the leases of running jobs and leaves them to an operator. Their holders find out at their next write. */
export function expireJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, expireStatement, [ids, actor, reason, errors.expired_by_request.message]);
}
