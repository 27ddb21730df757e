import type { JobProgress } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { changeCounts } from '../../pages/stored/list-changes.ts';

/*
 * The rate is that of the last pages by their runner's clock, and 0 when checkpoints stop coming. A crawl with a limit ends when that
 * is reached, whatever is left.
 */
const readStatement = statement<JobProgress>(
  'read-progress',
  `
SELECT job.id AS job_id, job.kind, job.status, job.requested_action, job.progress_percentage,
  coalesce(state.total_processed, 0) AS done, coalesce(state.total_pending, 0) AS pending,
  coalesce(state.fetched, 0) AS fetched, coalesce(state.failed, 0) AS failed, coalesce(state.skipped, 0) AS skipped,
  coalesce(state.redirected, 0) AS redirected, coalesce(state.not_crawled, 0) AS not_crawled,
  coalesce(state.bytes, 0) AS bytes, coalesce(state.current_depth, 0) AS current_depth, state.current_url,
  ${changeCounts} AS changes, rate.pages_per_second,
  CASE WHEN rate.pages_per_second > 0 THEN now() + make_interval(secs => least(rate.left_over / rate.pages_per_second,
    31536000)) END AS estimated_end_at,
  job.retry_count, job.error_code, job.error_message, job.started_at, job.completed_at, state.updated_at
FROM crawl_jobs job LEFT JOIN crawl_states state ON state.job_id = ANY ($1) AND state.job_id = job.id
LEFT JOIN LATERAL (
  SELECT CASE
      WHEN state.updated_at < now() - interval '1 minute' THEN 0
      WHEN max(fetched_at) > min(fetched_at)
        THEN (count(*) - 1) / greatest(extract(epoch FROM max(fetched_at) - min(fetched_at))::float8, 0.05)
    END AS pages_per_second,
    least(state.total_pending, CASE WHEN jsonb_typeof(job.payload -> 'max_pages') = 'number'
      THEN greatest((job.payload ->> 'max_pages')::float8 - state.fetched, 0) END)::float8 AS left_over
  FROM (
    SELECT fetched_at, max(fetched_at) OVER () AS latest FROM (
      SELECT fetched_at FROM crawl_pages
      WHERE job_id = job.id AND outcome IN ('fetched', 'failed') AND page_no > state.next_page_no - 400
      ORDER BY page_no DESC LIMIT 300
    ) newest
  ) newest
  WHERE fetched_at > latest - interval '5 minutes'
) rate ON job.status = 'processing'
WHERE job.id = ANY ($1::uuid[])`,
);

/** The progress of jobs as of their last checkpoints. Unknown jobs are left out. */
export function readProgress(db: Queryable, jobIds: readonly string[]): Promise<JobProgress[]> {
  return run(db, readStatement, [jobIds]);
}
