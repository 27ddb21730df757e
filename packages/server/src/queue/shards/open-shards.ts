import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type HeldJob, leaseLost } from '../jobs/held-job.ts';
import { everyShard } from './shard-sql.ts';

/** What decides the shard of a URL. */
export type ShardBy = 'domain' | 'url';

export interface ShardPlan {
  readonly shards: number;
  readonly by: ShardBy;
}

/** A crawl that has begun without shards keeps one; one with shards keeps their number. */
const planStatement = statement<{ id: string }>(
  'plan-shards',
  `
WITH job AS MATERIALIZED (
  SELECT id FROM crawl_jobs WHERE id = $1 AND fence = $2 AND status::text = 'processing' FOR NO KEY UPDATE
),
planned AS (
  INSERT INTO crawl_shards (job_id, shard, shards, shard_by)
  SELECT job.id, shard, $3, $4 FROM job, generate_series(0, $3::integer - 1) AS shard
  WHERE NOT EXISTS (SELECT FROM crawl_states WHERE job_id = $1) AND NOT EXISTS (SELECT FROM crawl_shards WHERE job_id = $1)
  ON CONFLICT DO NOTHING
)
SELECT id FROM job`,
);

/*
 * Takes back every shard, whoever held it under an earlier lease of the job, and gives the fullest one to the job's first runner. From
 * then on others may join. A repeated call finds `runners` set and returns what the first one gave. Rows in crawl_hosts were made by a
 * version that knows no shards: then the crawl stays with one.
 */
const openStatement = statement<{ ticket: number | null }>(
  'open-shards',
  `
WITH job AS MATERIALIZED (
  SELECT id, runners, lease_seconds FROM crawl_jobs
  WHERE id = $1 AND fence = $2 AND status::text = 'processing' FOR NO KEY UPDATE
),
${everyShard},
first AS MATERIALIZED (
  SELECT every.shard, nextval('crawl_tickets') AS ticket FROM job JOIN LATERAL (
    SELECT shard FROM every ORDER BY pending DESC, shard LIMIT 1
  ) every ON job.runners IS NULL
  WHERE NOT EXISTS (SELECT FROM crawl_hosts WHERE job_id = $1)
),
opened AS (
  UPDATE crawl_shards shard SET budget = 0, not_before = NULL, by_robots = false,
    fence = CASE WHEN shard.shard = first.shard THEN first.ticket ELSE fence END,
    worker_id = CASE WHEN shard.shard = first.shard THEN $3 END,
    claimed_at = CASE WHEN shard.shard = first.shard THEN now() ELSE claimed_at END,
    lease_expires_at = CASE WHEN shard.shard = first.shard THEN now() + make_interval(secs => job.lease_seconds) END
  FROM job, first WHERE shard.job_id = $1 AND job.id = $1
),
leased AS (
  UPDATE crawl_states SET leased = 0 FROM first WHERE job_id = $1 AND leased <> 0
),
joined AS (
  UPDATE crawl_jobs SET runners = 1 FROM first WHERE id = $1
)
SELECT coalesce((SELECT ticket FROM first), (
  SELECT fence FROM every WHERE (SELECT runners FROM job) IS NOT NULL AND worker_id = $3 ORDER BY claimed_at LIMIT 1)) AS ticket
FROM job`,
);

/** Begins a run of a claimed crawl. Returns the ticket of its first runner; undefined for a crawl with one shard. */
export async function openShards(
  db: Queryable,
  job: HeldJob,
  workerId: string,
  plan: ShardPlan,
): Promise<number | undefined> {
  if (plan.shards > 1) {
    const planned = await run(db, planStatement, [job.id, job.fence, plan.shards, plan.by]);
    if (planned.length === 0) throw leaseLost(job);
  }
  const [opened] = await run(db, openStatement, [job.id, job.fence, workerId]);
  if (!opened) throw leaseLost(job);
  return opened.ticket ?? undefined;
}
