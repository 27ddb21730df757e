import type { ApiKey } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction } from '../../base/database/in-transaction.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { countLiveJobs, hasJobQuota, lockJobQuota, spendJobsPerDay, spendLiveJobs } from './key-quotas.ts';

export interface Revived {
  /** Ids of the jobs that live again. */
  readonly live: readonly string[];
  /** How many of them are new, because they run a completed one again. */
  readonly made?: number;
}

/**
 * Lets a key make finished jobs live again without exceeding its quotas. `work` is given how many it may make live, and answers
 * with them.
 */
export async function retryWithKey<Result extends Revived>(
  pool: pg.Pool,
  key: ApiKey,
  work: (db: Queryable, room: number) => Promise<Result>,
): Promise<Result> {
  if (!hasJobQuota(key)) return work(pool, Number.POSITIVE_INFINITY);
  return inTransaction(pool, async (db) => {
    const { max_live_jobs: max, max_jobs_per_day: maxPerDay } = await lockJobQuota(db, key);
    const room = max === null ? Number.POSITIVE_INFINITY : max - (await countLiveJobs(db, key));
    const result = await work(db, room);
    await spendLiveJobs(db, key, max, result.live);
    if (result.made) await spendJobsPerDay(db, key, maxPerDay, result.made);
    return result;
  });
}
