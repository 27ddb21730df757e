import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { liveJobOf } from './find-policy.ts';

export interface DueJob {
  readonly job_id: string;
  readonly policy_id: string;
  readonly url: string;
  readonly scheduled_for: Date;
}

/*
 * A policy is judged under its lock, and one that is locked is left alone: another scheduler has it. The job, its event and
 * the next run (a safety net: the job's end says better) come together or not at all, so a scheduler may die anywhere.
 *
 * A snapshot may be older than the lock, and miss a job that another scheduler just made. Then the job's unique keys (one
 * live job per policy, one job per due time) refuse a second one, the policy stays as it is, and the next turn sees both.
 * A policy with a live job is passed over before the limit counts, so that such ones keep no other waiting.
 * A due time that has had its job (somebody set the same one again) is passed without another.
 */
/** A site that is crawled again is asked for what changed, unless its policy says otherwise; the first crawl has no baseline. */
const payload = `CASE kind WHEN 'crawl' THEN '{"recrawl": true}'::jsonb || options ELSE options END
    || jsonb_build_object('url', url)`;

export const createDueJobsStatement = statement<DueJob>(
  'create-due-jobs',
  `
WITH due AS MATERIALIZED (
  SELECT * FROM crawl_policies policy
  WHERE enabled AND NOT has_live_job AND next_run_at <= now() AND ${liveJobOf('policy')} IS NULL
  ORDER BY next_run_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
),
created AS (
  INSERT INTO crawl_jobs (event_count, kind, executor, payload, priority, max_retries, retry_backoff_seconds, timeout_seconds,
    lock_ttl_seconds, host, dedupe_key, policy_id, scheduled_for, user_id)
  SELECT 1, kind, executor, ${payload}, priority, max_retries, retry_backoff_minutes * 60,
    timeout_minutes * 60, lock_ttl_seconds, CASE executor WHEN 'bot' THEN host END, 'policy:' || id, id, next_run_at, user_id
  FROM due
  ON CONFLICT DO NOTHING
  RETURNING id, policy_id, scheduled_for, event_count, status, fence, payload
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, reason)
  SELECT id, event_count, 'enqueue', status, fence, $2, 'policy ' || policy_id FROM created
),
passed AS (
  UPDATE crawl_policies policy SET
    next_run_at = now() + make_interval(secs => (frequency_hours * 3600)::float8),
    has_live_job = id = ANY (ARRAY(SELECT policy_id FROM created))
  WHERE id = ANY (ARRAY(
    SELECT policy_id FROM created
    UNION ALL
    SELECT due.id FROM due CROSS JOIN LATERAL (
      SELECT FROM crawl_jobs job WHERE job.policy_id = due.id AND job.scheduled_for = due.next_run_at LIMIT 1
    ) earlier))
)
SELECT id AS job_id, policy_id, payload ->> 'url' AS url, scheduled_for FROM created`,
);

/** Makes a job of every policy that is due, up to `limit`. Any number of schedulers may do it at once. */
export function createDueJobs(db: Queryable, actor: string, limit = 500): Promise<DueJob[]> {
  return run(db, createDueJobsStatement, [limit, actor]);
}
