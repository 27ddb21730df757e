import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { leaseEnded, requestedOr, transitionOr } from './end-run-sql.ts';
import { jobColumns } from './find-jobs.ts';

const ended = requestedOr("'pending'");

const resetLockStatement = statement<Job>(
  'reset-lock',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND status = 'processing'
  ORDER BY id FOR UPDATE
),
changed AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, fence = fence + 1, run_at = NULL,${leaseEnded(ended)}
  FROM found WHERE job.id = found.id
  RETURNING job.*, found.status AS from_status, job.status AS to_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, ${transitionOr('resetLock')}, from_status, to_status, fence, $2, $3 FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

/** Ends the leases of running jobs without burning a retry. They become ready, or paused or cancelled if requested. */
export function resetLocks(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, resetLockStatement, [ids, actor, reason]);
}
