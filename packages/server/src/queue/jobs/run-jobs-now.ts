import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

/*
 * Skips jobs that wait only for sources that an operator paused or disabled. A source paused after failures is probed now; a
 * Retry-After and the limits of a source still apply.
 */
export const runNowStatement = statement<Job>(
  'run-now',
  `
WITH found AS MATERIALIZED (
  SELECT id, status, blocked_by FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND (status = 'retryable' OR status = 'pending' AND run_at > now())
    AND (jsonb_array_length(blocked_by -> 'paused') > 0 AND NOT EXISTS (
      SELECT FROM jsonb_array_elements_text(blocked_by -> 'sources') AS waited (id) LEFT JOIN sources source USING (id)
      WHERE (NOT source.enabled OR source.pause_reason = 'operator' AND source.paused_until > now()) IS NOT TRUE)
    ) IS NOT TRUE
  ORDER BY id FOR UPDATE
),
probed AS (
  UPDATE sources SET paused_until = now()
  WHERE pause_reason = 'failures' AND paused_until > now()
    AND id IN (SELECT jsonb_array_elements_text(blocked_by -> 'paused') FROM found)
),
changed AS (
  UPDATE crawl_jobs job SET
    status = 'pending', run_at = NULL, next_retry_at = NULL, blocked_by = NULL, event_count = event_count + 1
  FROM found WHERE job.id = ANY ($1) AND job.id = found.id
  RETURNING job.*, found.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'runNow', from_status, status, fence, $2, $3 FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

/** Ends the wait of jobs for a start time, a retry or a host. No retry is burned. Returns the changed jobs. */
export function runJobsNow(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, runNowStatement, [ids, actor, reason]);
}
