import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import type { Renewal } from '../jobs/renew-leases.ts';

/*
 * Renews the shards of this worker's runners, and with them the leases of their jobs. SKIP LOCKED, as in renew-leases.ts: a checkpoint
 * renews what it locks, and waiting for it would hold up the others.
 */
const renewStatement = statement<{ ticket: number; renewal: Renewal }>(
  'renew-shards',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS held (id, fence, ticket)
),
free_shard AS MATERIALIZED (
  SELECT shard.job_id, shard.shard, shard.fence FROM held JOIN crawl_shards shard
    ON shard.job_id = ANY ($1) AND shard.job_id = held.id AND shard.fence = held.ticket AND shard.worker_id IS NOT NULL
  FOR NO KEY UPDATE OF shard SKIP LOCKED
),
free_job AS MATERIALIZED (
  SELECT job.id FROM crawl_jobs job WHERE job.id = ANY ($1) AND job.status::text = 'processing'
    AND EXISTS (SELECT FROM held WHERE held.id = job.id AND held.fence = job.fence)
  FOR NO KEY UPDATE OF job SKIP LOCKED
),
renewed_job AS (
  UPDATE crawl_jobs job SET last_heartbeat = now(), lease_expires_at = now() + make_interval(secs => lease_seconds)
  FROM free_job WHERE job.id = ANY ($1) AND job.id = free_job.id
  RETURNING job.id, job.requested_action
),
renewed AS (
  UPDATE crawl_shards shard SET lease_expires_at = now() + make_interval(secs => job.lease_seconds)
  FROM free_shard, crawl_jobs job WHERE shard.job_id = ANY ($1) AND shard.job_id = free_shard.job_id AND shard.shard = free_shard.shard
    AND job.id = free_shard.job_id
  RETURNING shard.fence
)
SELECT held.ticket, CASE
    WHEN job.id IS NULL OR shard.job_id IS NULL THEN 'lost'
    WHEN renewed.fence IS NULL THEN 'busy'
    ELSE coalesce(coalesce(renewed_job.requested_action, job.requested_action)::text, 'continue') END AS renewal
FROM held
LEFT JOIN crawl_jobs job ON job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
LEFT JOIN crawl_shards shard
  ON shard.job_id = ANY ($1) AND shard.job_id = held.id AND shard.fence = held.ticket AND shard.worker_id IS NOT NULL
LEFT JOIN renewed ON renewed.fence = held.ticket
LEFT JOIN renewed_job ON renewed_job.id = held.id`,
);

/** Renews the leases of runners that share crawls. By ticket: what is requested of each. */
export async function renewShards(db: Queryable, jobs: readonly HeldJob[]): Promise<Map<number, Renewal>> {
  if (jobs.length === 0) return new Map();
  const rows = await run(db, renewStatement, [
    jobs.map(({ id }) => id),
    jobs.map(({ fence }) => fence),
    jobs.map(({ ticket }) => ticket),
  ]);
  return new Map(rows.map(({ ticket, renewal }) => [ticket, renewal]));
}
