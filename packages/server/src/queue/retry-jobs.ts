import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { jobColumns } from './find-jobs.ts';

/** A live job with the same dedupe key stands in the way; without it, the unique index would refuse the whole batch. */
export const retryStatement = statement<Job>(
  'retry',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND status IN ('failed', 'cancelled', 'expired')
    AND NOT EXISTS (
      SELECT FROM crawl_jobs other
      WHERE other.user_id = crawl_jobs.user_id AND other.dedupe_key = crawl_jobs.dedupe_key
        AND other.status IN ('pending', 'processing', 'retryable', 'paused'))
  ORDER BY id FOR UPDATE
),
changed AS (
  UPDATE crawl_jobs job SET
    status = 'pending', retry_count = 0, run_at = NULL, completed_at = NULL, worker_id = NULL,
    error_code = NULL, error_message = NULL,
    progress_percentage = CASE WHEN $4 THEN 0 ELSE progress_percentage END,
    event_count = event_count + 1
  FROM found WHERE job.id = found.id
  RETURNING job.*, found.status AS from_status
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'retry', from_status, status, fence, $2, concat_ws(': ', CASE WHEN $4 THEN 'afresh' END, $3)
  FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

export interface RetryOptions {
  /** Start over instead of going on from the checkpoint. */
  readonly afresh?: boolean;
  readonly reason?: string;
}

/** Makes finished jobs that did not complete ready again, with all their retries. Answers with those it changed. */
export function retryJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  { afresh = false, reason }: RetryOptions = {},
): Promise<Job[]> {
  return run(db, retryStatement, [ids, actor, reason, afresh]);
}
