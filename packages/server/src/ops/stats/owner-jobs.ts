import type { MinuteOfJobs } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type CountedJobs, type JobCounts, toCounts, wholeLimit } from './count-jobs.ts';

interface OwnRow extends CountedJobs {
  /** Number of jobs read. */
  readonly looked_at: number;
}

const columns = 'user_id, status, kind, retry_count, created_at, started_at, completed_at';

/*
 * The newest jobs of one owner, by the index of owners. The owner `local` usually owns everything, so its jobs are taken from
 * the newest of all.
 */
const newest = {
  owner: `SELECT ${columns} FROM crawl_jobs WHERE user_id = $1 AND user_id <> 'local'
    ORDER BY id DESC LIMIT ${wholeLimit + 1}`,
  local: `SELECT ${columns} FROM crawl_jobs ORDER BY id DESC LIMIT ${wholeLimit + 1}`,
} as const;

const countText = (jobs: string) => `
WITH job AS MATERIALIZED (${jobs})
SELECT status, kind, retry_count, count(*) AS count, (SELECT count(*) FROM job) AS looked_at
FROM job WHERE user_id = $1 GROUP BY status, kind, retry_count`;

const minutesText = (jobs: string) => `
WITH job AS MATERIALIZED (${jobs}),
moment AS (
  SELECT created_at AS at, 'created' AS what FROM job WHERE user_id = $1
  UNION ALL SELECT started_at, 'started' FROM job WHERE user_id = $1
  UNION ALL SELECT completed_at, CASE status WHEN 'completed' THEN 'completed' WHEN 'cancelled' THEN 'cancelled' ELSE 'failed' END
    FROM job WHERE user_id = $1 AND status IN ('completed', 'failed', 'expired', 'cancelled')
)
SELECT date_trunc('minute', at) AS minute, count(*) FILTER (WHERE what = 'created') AS created,
  count(*) FILTER (WHERE what = 'started') AS started, count(*) FILTER (WHERE what = 'completed') AS completed,
  count(*) FILTER (WHERE what = 'failed') AS failed, 0 AS retried,
  count(*) FILTER (WHERE what = 'created') - count(*) FILTER (WHERE what IN ('completed', 'cancelled', 'failed')) AS more, 'exact' AS precision
FROM moment WHERE at >= $2 GROUP BY 1`;

export const ownStatements = {
  owner: {
    count: statement<OwnRow>('count-own-jobs', countText(newest.owner)),
    minutes: statement<MinuteOfJobs>('count-own-minutes', minutesText(newest.owner)),
  },
  local: {
    count: statement<OwnRow>('count-local-jobs', countText(newest.local)),
    minutes: statement<MinuteOfJobs>('count-local-minutes', minutesText(newest.local)),
  },
} as const;

const statementsOf = (userId: string) => ownStatements[userId === 'local' ? 'local' : 'owner'];

/** Like countJobs for one owner; only the newest jobs if there are very many. */
export async function countOwnJobs(db: Queryable, userId: string): Promise<JobCounts> {
  const rows = await run(db, statementsOf(userId).count, [userId]);
  const isWhole = (rows[0]?.looked_at ?? 0) <= wholeLimit;
  return toCounts(rows, isWhole ? 'exact' : 'at_least');
}

/** Events of the newest jobs of one owner by the minute, from the last run of each job. */
export function countOwnMinutes(db: Queryable, userId: string, since: Date): Promise<MinuteOfJobs[]> {
  return run(db, statementsOf(userId).minutes, [userId, since]);
}
