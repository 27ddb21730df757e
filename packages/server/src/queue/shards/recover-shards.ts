import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { everyShard } from './shard-sql.ts';

interface RecoveredShard {
  readonly job_id: string;
  readonly shard: number;
  readonly prior_worker: string;
}

/*
 * Frees shards whose leases ran out. Others may take them at once; no retry of the job is burned, because the crawl goes on. If the
 * last one is freed, the lease of the job ends too, and the sweep of jobs that follows decides.
 */
const recoverStatement = statement<RecoveredShard>(
  'recover-shards',
  `
WITH job AS MATERIALIZED (
  SELECT id, runners FROM crawl_jobs
  WHERE id = ANY (ARRAY(SELECT job_id FROM crawl_shards WHERE worker_id IS NOT NULL AND lease_expires_at <= now()))
    AND runners IS NOT NULL AND status::text = 'processing'
  ORDER BY id FOR NO KEY UPDATE
),
${everyShard},
ended AS MATERIALIZED (
  SELECT job_id, shard, worker_id, budget FROM every WHERE worker_id IS NOT NULL AND lease_expires_at <= now()
),
freed AS (
  UPDATE crawl_shards shard SET worker_id = NULL, lease_expires_at = NULL, budget = 0, updated_at = now()
  FROM ended WHERE shard.job_id = ended.job_id AND shard.shard = ended.shard
),
gone AS MATERIALIZED (
  SELECT job_id, count(*) AS count, sum(budget) AS budget FROM ended GROUP BY job_id
),
leased AS (
  UPDATE crawl_states state SET leased = leased - gone.budget FROM gone WHERE state.job_id = gone.job_id
),
counted AS (
  UPDATE crawl_jobs job SET runners = CASE WHEN runners > gone.count THEN runners - gone.count END,
    lease_expires_at = CASE WHEN runners > gone.count THEN lease_expires_at ELSE now() - interval '1 second' END
  FROM gone WHERE job.id = gone.job_id
)
SELECT job_id, shard, worker_id AS prior_worker FROM ended`,
);

/** The watchdog's turn for shards. Returns how many it freed. */
export async function recoverShards(db: Queryable, log: Logger): Promise<number> {
  const shards = await run(db, recoverStatement);
  for (const { job_id: job, shard, prior_worker } of shards)
    log.warn({ job, shard, prior_worker }, 'A shard is free again: its runner let its lease run out');
  return shards.length;
}
