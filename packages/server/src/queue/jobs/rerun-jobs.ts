import type { Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from './find-jobs.ts';

/**
 * A completed visit or collect job keeps its result; a rerun is a new job with the same request. It inherits the dedupe key of its
 * policy or intake, so that each still has at most one live job. Other reruns get a key that names the older job, so that two
 * requests create one rerun.
 */
const rerunKey = `CASE WHEN dedupe_key IS NULL OR starts_with(dedupe_key, 'rerun:') THEN 'rerun:' || id ELSE dedupe_key END`;

/** Inserts in the order of the keys, so that two reruns never deadlock. */
const rerunStatement = statement<Job>(
  'rerun',
  `
WITH created AS (
  INSERT INTO crawl_jobs (event_count, kind, executor, payload, priority, max_retries, retry_backoff_seconds, timeout_seconds,
    lock_ttl_seconds, source_id, user_id, host, intake_id, policy_id, dedupe_key, rerun_of)
  SELECT 1, kind, executor, payload, priority, max_retries, retry_backoff_seconds, timeout_seconds,
    lock_ttl_seconds, source_id, user_id, host, intake_id, policy_id, ${rerunKey}, id
  FROM crawl_jobs WHERE id = ANY ($1::uuid[]) AND status = 'completed' AND kind IN ('visit', 'collect')
  ORDER BY user_id, ${rerunKey}, created_at DESC
  ON CONFLICT DO NOTHING
  RETURNING *
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor, reason)
  SELECT id, event_count, 'enqueue', status, fence, $2, concat_ws(': ', 'runs job ' || rerun_of || ' again', $3::text)
  FROM created
)
SELECT ${jobColumns('created')} FROM created`,
);

const liveRerunStatement = statement<Job>(
  'live-rerun',
  `
SELECT ${jobColumns('again')} FROM crawl_jobs job JOIN crawl_jobs again
  ON again.user_id = job.user_id AND again.dedupe_key IN ('rerun:' || job.id, job.dedupe_key) AND again.rerun_of = job.id
WHERE job.id = $1 AND again.status IN ('pending', 'processing', 'retryable', 'paused')`,
);

/** Reruns completed visit and collect jobs as new jobs. Returns the new ones. */
export function rerunJobs(
  db: Queryable,
  ids: readonly string[],
  actor: string,
  reason?: string,
): Promise<Job[]> {
  return run(db, rerunStatement, [ids, actor, reason]);
}

/** The live rerun of this job, if there is one. */
export async function liveRerun(db: Queryable, id: string): Promise<Job | undefined> {
  return (await run(db, liveRerunStatement, [id]))[0];
}
