import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

const resumeStatement = statement<Job>(
  'resume',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND (status = 'paused'
    OR status = 'processing' AND requested_action = 'pause')
  ORDER BY id FOR UPDATE
),
changed AS (
  UPDATE crawl_jobs job SET
    status = CASE job.status WHEN 'processing' THEN 'processing' ELSE 'pending' END::job_status,
    requested_action = NULL, event_count = event_count + 1
  FROM found WHERE job.id = found.id
  RETURNING job.*, found.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'resume', from_status, status, fence, $2, $3 FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

/** Makes paused jobs ready and withdraws pauses that running jobs have not acted on. Returns the changed jobs. */
export function resumeJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, resumeStatement, [ids, actor, reason]);
}
