import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { ClaimedJob } from '../jobs/claim-jobs.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import { everyShard, hasWork, pageLimit } from './shard-sql.ts';

/*
 * Takes free shards of running crawls: the highest priority first, then the fullest. While other crawls are ready to start, one of the
 * free places is left for them. A crawl that is asked to pause or cancel takes no more runners.
 */
const joinStatement = statement<ClaimedJob & { ticket: number }>(
  'join-crawls',
  `
WITH room AS (
  SELECT $2::integer - CASE WHEN $4::uuid IS NULL AND EXISTS (
    SELECT FROM crawl_jobs WHERE status = 'pending' AND run_at IS NULL AND kind = 'crawl' AND executor = 'builtin'
  ) THEN 1 ELSE 0 END AS free
),
job AS MATERIALIZED (
  SELECT id, kind, fence, payload, priority, retry_count, max_retries, timeout_seconds, lease_seconds, created_at FROM crawl_jobs
  WHERE runners IS NOT NULL AND status::text = 'processing' AND requested_action IS NULL AND id <> ALL ($5::uuid[])
    AND ($4 IS NULL OR id = $4) AND (waits_for IS NULL OR waits_for <@ $3::text[]) AND (SELECT free FROM room) > 0
    AND EXISTS (
      SELECT FROM crawl_shards shard JOIN crawl_states state ON state.job_id = shard.job_id
      WHERE shard.job_id = crawl_jobs.id AND ${hasWork('shard', 'state', pageLimit('crawl_jobs.payload'))})
  ORDER BY id FOR NO KEY UPDATE
),
${everyShard},
picked AS MATERIALIZED (
  SELECT every.job_id, every.shard, nextval('crawl_tickets') AS ticket FROM every
  JOIN job ON job.id = every.job_id JOIN crawl_states state ON state.job_id = every.job_id
  WHERE ${hasWork('every', 'state', pageLimit('job.payload'))}
  ORDER BY job.priority DESC, every.pending DESC, every.shard LIMIT (SELECT greatest(free, 0) FROM room)
),
taken AS (
  UPDATE crawl_shards shard SET fence = picked.ticket, worker_id = $1, claimed_at = now(), not_before = NULL, by_robots = false, budget = 0,
    lease_expires_at = now() + make_interval(secs => job.lease_seconds)
  FROM picked, job WHERE shard.job_id = picked.job_id AND shard.shard = picked.shard AND job.id = picked.job_id
),
joined AS (
  UPDATE crawl_jobs SET runners = runners + more.count FROM (
    SELECT job_id, count(*) AS count FROM picked GROUP BY job_id
  ) more WHERE id = more.job_id
)
SELECT job.id, job.kind, job.fence, job.payload, job.priority, job.retry_count, job.max_retries, job.timeout_seconds,
  job.lease_seconds, (date_part('epoch', job.created_at) * 1e6)::int8 AS created_us, false AS waited, picked.ticket
FROM picked JOIN job ON job.id = picked.job_id`,
);

export interface JoinOptions {
  readonly workerId: string;
  /** How many more runners the worker has room for. */
  readonly limit: number;
  readonly allowPrivate: readonly string[];
  /** Joins this crawl alone (one-shot commands). */
  readonly onlyJob?: string | undefined;
  /** Crawls that this worker may not fetch. */
  readonly except?: readonly string[];
}

/** Takes up to `limit` shards that have work and no runner. */
export function joinCrawls(
  db: Queryable,
  { workerId, limit, allowPrivate, onlyJob, except = [] }: JoinOptions,
): Promise<(ClaimedJob & { ticket: number })[]> {
  return run(db, joinStatement, [workerId, limit, allowPrivate, onlyJob, except]);
}

const heldStatement = statement<HeldJob & { ticket: number }>(
  'find-held-shards',
  `
SELECT job.id, job.fence, shard.fence AS ticket FROM crawl_shards shard JOIN crawl_jobs job ON job.id = shard.job_id
WHERE shard.worker_id = $1 AND job.status::text = 'processing' AND job.runners IS NOT NULL`,
);

/** The leases of a worker's runners that share crawls, as the database knows them. */
export function findHeldShards(db: Queryable, workerId: string): Promise<(HeldJob & { ticket: number })[]> {
  return run(db, heldStatement, [workerId]);
}
