import type { ApiKey, Policy } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction } from '../../base/database/in-transaction.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { findPolicy } from '../policies/find-policy.ts';
import { hasJobQuota, type JobQuota, liveRetrySeconds, lockJobQuota, spendJobsPerDay } from './key-quotas.ts';
import { lockPromise, type Promised, promisedBy } from './promised-by-policies.ts';
import { QuotaExceeded } from './quota-exceeded.ts';

/** Not soon: waiting changes nothing here, and a program that only knows Retry-After should not hammer. */
const retrySeconds = 3600;
const hint =
  'Waiting does not help: disable or delete a policy, let them run less often, or ask for a larger quota.';
const nearly = 1e-6;

/**
 * Makes, changes or deletes a policy in the name of a key. Its jobs are made later and by nobody in particular, so what they
 * may come to is held to the quotas now (docs/adr/0016). `makesDue`: the key asks for a job before its time.
 */
export async function policyWithKey(
  pool: pg.Pool,
  key: ApiKey,
  work: (db: Queryable) => Promise<Policy>,
  { makesDue = false } = {},
): Promise<Policy> {
  if (!hasJobQuota(key)) return work(pool);
  return inTransaction(pool, (db) => policyWithin(db, key, work, makesDue));
}

/** The same in a transaction that is there already. */
export async function policyWithin(
  db: Queryable,
  key: ApiKey,
  work: (db: Queryable) => Promise<Policy>,
  makesDue = false,
): Promise<Policy> {
  if (!hasJobQuota(key)) return work(db);
  const quota = await lockJobQuota(db, key);
  const before = await lockPromise(db, key);
  const policy = await work(db);
  const after = await promisedBy(db, key.user_id);
  // Made, enabled, or run more often. What promises less, or goes, is always let through, though it may still be too much.
  const promisesMore = after.per_day > before.per_day;
  if (promisesMore) refuseTooMuch(quota, before, after);
  // A promise that is given up and given anew would otherwise be as good as any number of them.
  if (promisesMore || (makesDue && !(await hasLiveJob(db, policy))))
    await spendJobsPerDay(db, key, quota.max_jobs_per_day, 1);
  return policy;
}

/** Asked anew: while the change waited for the policy, a job that it still saw may have ended. */
async function hasLiveJob(db: Queryable, { id }: Policy): Promise<boolean> {
  return (await findPolicy(db, id)).live_job_id !== null;
}

function refuseTooMuch(
  { max_live_jobs, max_jobs_per_day }: JobQuota,
  before: Promised,
  after: Promised,
): void {
  const live = after.enabled + after.left_behind;
  if (max_live_jobs !== null && live > Math.max(max_live_jobs, before.enabled + before.left_behind)) {
    if (after.enabled <= max_live_jobs)
      throw new QuotaExceeded(
        `${max_live_jobs} live jobs, and policies that are disabled or deleted still have ${after.left_behind}`,
        liveRetrySeconds,
      );
    throw new QuotaExceeded(
      `${max_live_jobs} live jobs, and so as many enabled policies`,
      retrySeconds,
      hint,
    );
  }
  if (max_jobs_per_day === null || after.per_day <= Math.max(max_jobs_per_day, before.per_day) + nearly)
    return;
  const made = Math.ceil(after.per_day - nearly);
  throw new QuotaExceeded(
    `${max_jobs_per_day} jobs a day, and the enabled policies would make ${made}`,
    retrySeconds,
    hint,
  );
}
