import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../jobs/held-job.ts';
import { everyShard, hasWork, pageLimit } from './shard-sql.ts';

/**
 * switched  the runner holds another shard, which has work
 * left      others go on with the crawl
 * last      it is the only runner, and nobody can join any more: it ends the run of the job
 * stays     nothing has changed: it is the only runner, and its shard has work after all
 * lost      the shard is no longer its own
 */
type GivenUp = 'switched' | 'left' | 'last' | 'stays' | 'lost';

export interface GivenUpRow {
  readonly became: GivenUp;
  /** Seconds until the first of the shards that wait may go on; null: none of them waits. */
  readonly others_wait: number | null;
  /** Whether all of those wait for an unreachable robots.txt. */
  readonly others_by_robots: boolean | null;
  readonly total_pending: number;
  readonly fetched: number;
  readonly is_at_limit: boolean;
}

/*
 * The runner is named by its ticket, not by its shard: whoever settles the death of a runner need not know where it was. Free shards
 * keep their last fence, so a holder is a row with that fence and a worker. For the last runner, `runners` becomes null: it keeps its
 * shard while it ends the run, and a repeated call answers the same.
 */
const giveUpStatement = statement<GivenUpRow>(
  'give-up-shard',
  `
WITH job AS MATERIALIZED (
  SELECT id, runners, lease_seconds, requested_action, ${pageLimit('payload')} AS page_limit FROM crawl_jobs
  WHERE id = $1 AND fence = $2 AND status::text = 'processing' FOR NO KEY UPDATE
),
${everyShard},
state AS MATERIALIZED (
  SELECT state.job_id, state.fetched, state.leased, state.total_pending, state.retrying FROM job
  JOIN crawl_states state ON state.job_id = job.id FOR NO KEY UPDATE OF state
),
mine AS MATERIALIZED (
  SELECT every.*, job.runners, job.lease_seconds FROM every, job WHERE every.fence = $3 AND every.worker_id IS NOT NULL
),
returned AS MATERIALIZED (
  SELECT state.fetched, state.leased - mine.budget AS leased FROM state, mine
),
next AS MATERIALIZED (
  SELECT every.shard FROM every, mine, job, returned
  WHERE $6 AND mine.runners IS NOT NULL AND job.requested_action IS NULL AND every.shard <> mine.shard
    AND ${hasWork('every', 'returned', 'job.page_limit')}
  ORDER BY every.pending DESC, every.shard LIMIT 1
),
verdict AS MATERIALIZED (
  SELECT CASE WHEN EXISTS (SELECT FROM next) THEN 'switched' WHEN runners > 1 THEN 'left'
    WHEN $7 AND pending > 0 THEN 'stays' ELSE 'last' END AS became
  FROM mine
),
freed AS (
  UPDATE crawl_shards shard SET worker_id = NULL, lease_expires_at = NULL, budget = 0, updated_at = now(),
    not_before = now() + make_interval(secs => $4::float8), by_robots = $5
  FROM mine, verdict WHERE shard.job_id = mine.job_id AND shard.shard = mine.shard AND became IN ('switched', 'left')
),
taken AS (
  UPDATE crawl_shards shard SET worker_id = mine.worker_id, fence = mine.fence, claimed_at = now(), not_before = NULL,
    by_robots = false, budget = 0, lease_expires_at = now() + make_interval(secs => mine.lease_seconds)
  FROM mine, next WHERE shard.job_id = mine.job_id AND shard.shard = next.shard
),
kept AS (
  UPDATE crawl_shards shard SET budget = 0 FROM mine, verdict
  WHERE shard.job_id = mine.job_id AND shard.shard = mine.shard AND became = 'last'
),
leased AS (
  UPDATE crawl_states SET leased = crawl_states.leased - mine.budget FROM mine, verdict
  WHERE crawl_states.job_id = mine.job_id AND became IN ('switched', 'left', 'last')
),
counted AS (
  UPDATE crawl_jobs SET runners = CASE became WHEN 'left' THEN crawl_jobs.runners - 1 END FROM mine, verdict
  WHERE crawl_jobs.id = mine.job_id AND became IN ('left', 'last')
)
SELECT coalesce((SELECT became FROM verdict), 'lost') AS became,
  (SELECT extract(epoch FROM min(greatest(not_before, now())) - now())::float8 FROM every
    WHERE pending > 0 AND (fence <> $3 OR worker_id IS NULL) AND not_before IS NOT NULL) AS others_wait,
  (SELECT bool_and(by_robots) FROM every WHERE pending > 0 AND (fence <> $3 OR worker_id IS NULL)) AS others_by_robots,
  coalesce((SELECT total_pending FROM state), 0) AS total_pending, coalesce((SELECT fetched FROM state), 0) AS fetched,
  coalesce((SELECT state.fetched >= page_limit AND state.retrying = 0 FROM state), false) AS is_at_limit
FROM job`,
);

export interface GiveUpOptions {
  /** Its hosts are blocked for so long. */
  readonly waitSeconds?: number | undefined;
  readonly byRobots?: boolean;
  /** Take another shard that has work instead. */
  readonly maySwitch?: boolean;
  /** The last runner ends the run of the job only if its shard is empty; false by default. */
  readonly onlyEmpty?: boolean;
}

/** Lets go of a shard. */
export async function giveUpShard(
  db: Queryable,
  job: HeldJob,
  { waitSeconds, byRobots = false, maySwitch = false, onlyEmpty = false }: GiveUpOptions = {},
): Promise<GivenUpRow> {
  const values = [job.id, job.fence, job.ticket, waitSeconds ?? null, byRobots, maySwitch, onlyEmpty];
  const [row] = await run(db, giveUpStatement, values);
  const lost = {
    others_wait: null,
    others_by_robots: null,
    total_pending: 0,
    fetched: 0,
    is_at_limit: false,
  };
  return row ?? { became: 'lost', ...lost };
}
