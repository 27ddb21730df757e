import type { Job } from '@holdfast/contract';
import { crawlTables } from '../../base/database/crawl-tables.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

/** In the same statement: a crawl that starts over must keep nothing of its earlier runs. */
const startedOver = crawlTables
  .map((table) => `gone_${table} AS (DELETE FROM ${table} USING changed WHERE $4 AND job_id = changed.id)`)
  .join(',\n');

/**
 * Skips jobs whose dedupe key has a live job, and of several jobs with one key takes the newest. Otherwise the unique index would
 * refuse the whole batch.
 */
const retryStatement = statement<Job>(
  'retry',
  `
WITH found AS MATERIALIZED (
  SELECT id, status, user_id, dedupe_key, created_at FROM crawl_jobs
  WHERE id = ANY ($1::uuid[]) AND status IN ('failed', 'cancelled', 'expired')
    AND NOT EXISTS (
      SELECT FROM crawl_jobs other
      WHERE other.user_id = crawl_jobs.user_id AND other.dedupe_key = crawl_jobs.dedupe_key
        AND other.status IN ('pending', 'processing', 'retryable', 'paused'))
    -- Later crawls were compared with its pages, and share their content: it cannot lose them.
    AND NOT ($4 AND (EXISTS (SELECT FROM crawl_states later WHERE later.baseline = crawl_jobs.id)
      OR EXISTS (SELECT FROM crawl_pages page WHERE page.content_job = crawl_jobs.id)))
  ORDER BY id FOR UPDATE
),
chosen AS MATERIALIZED (
  SELECT DISTINCT ON (user_id, dedupe_key, CASE WHEN dedupe_key IS NULL THEN id END) id, status FROM found
  ORDER BY user_id, dedupe_key, CASE WHEN dedupe_key IS NULL THEN id END, created_at DESC, id DESC
),
changed AS (
  UPDATE crawl_jobs job SET
    status = 'pending', retry_count = 0, failed_starts = 0, run_at = NULL, completed_at = NULL, worker_id = NULL,
    error_code = NULL, error_message = NULL,
    progress_percentage = CASE WHEN $4 THEN 0 ELSE progress_percentage END,
    event_count = event_count + 1
  FROM chosen WHERE job.id = chosen.id
  RETURNING job.*, chosen.status AS from_status
),
${startedOver},
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'retry', from_status, status, fence, $2, nullif(concat_ws(': ', CASE WHEN $4 THEN 'afresh' END, $3::text), '')
  FROM changed
)
SELECT ${jobColumns('changed')} FROM changed`,
);

export interface RetryOptions {
  /** Start over instead of going on from the checkpoint. */
  readonly afresh?: boolean;
  readonly reason?: string;
}

const repeats = 5;

/** Makes failed, cancelled and expired jobs ready again with all their retries. Returns the changed jobs. */
export async function retryJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  { afresh = false, reason }: RetryOptions = {},
): Promise<Job[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(db, retryStatement, [ids, actor, reason, afresh]);
    } catch (error) {
      if (attempt === repeats || !isLiveJobViolation(error)) throw error;
    }
  }
}

/** Two retries with one dedupe key raced, or a retry and a new job. The next attempt sees the other one. */
function isLiveJobViolation(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'crawl_jobs_one_live_per_dedupe_key';
}
