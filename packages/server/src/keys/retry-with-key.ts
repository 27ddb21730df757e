import type { ApiKey } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import type { Queryable } from '../database/statement.ts';
import { countLiveJobs, lockJobQuota, spendLiveJobs } from './job-quota.ts';

/**
 * Lets a key make finished jobs live again without exceeding its live jobs. `work` is given how many it may make live, and
 * answers with their ids.
 */
export async function retryWithKey<Result extends { readonly live: readonly string[] }>(
  pool: pg.Pool,
  key: ApiKey,
  work: (db: Queryable, room: number) => Promise<Result>,
): Promise<Result> {
  if (key.max_live_jobs === null) return work(pool, Number.POSITIVE_INFINITY);
  return inTransaction(pool, async (db) => {
    const { max_live_jobs: max } = await lockJobQuota(db, key);
    const room = max === null ? Number.POSITIVE_INFINITY : max - (await countLiveJobs(db, key));
    const result = await work(db, room);
    await spendLiveJobs(db, key, max, result.live);
    return result;
  });
}
