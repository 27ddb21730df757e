import type { ApiKey, Policy } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { type Queryable, run, statement } from '../database/statement.ts';
import { hasJobQuota, type JobQuota, lockJobQuota, spendJobsPerDay } from './job-quota.ts';
import { QuotaExceeded } from './quota-exceeded.ts';

interface Promised {
  /** Each enabled policy may have one live job. */
  readonly live: number;
  /** The jobs that they make a day while nothing fails. */
  readonly per_day: number;
}

const promisedStatement = statement<Promised>(
  'promised-by-policies',
  `
SELECT count(*) AS live, coalesce(sum(24 / frequency_hours), 0)::float8 AS per_day
FROM crawl_policies WHERE user_id = $1 AND enabled`,
);

/** Not soon: waiting changes nothing here, and a program that only knows Retry-After should not hammer. */
const retrySeconds = 3600;
const hint =
  'Waiting does not help: disable or delete a policy, let them run less often, or ask for a larger quota.';
const nearly = 1e-6;

/**
 * Makes or changes a policy in the name of a key. Its jobs are made later and by nobody in particular, so what they may come
 * to is held to the quotas now (docs/adr/0016). `makesDue`: the key asks for a job before its time, which is one of the day.
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
  const before = await promised(db, key);
  const policy = await work(db);
  refuseMore(quota, before, await promised(db, key));
  if (makesDue && policy.live_job_id === null) await spendJobsPerDay(db, key, quota.max_jobs_per_day, 1);
  return policy;
}

async function promised(db: Queryable, { user_id }: ApiKey): Promise<Promised> {
  const [row] = await run(db, promisedStatement, [user_id]);
  return row ?? { live: 0, per_day: 0 };
}

/** What promises less than before is let through, though it may still be too much. */
function refuseMore({ max_live_jobs, max_jobs_per_day }: JobQuota, before: Promised, after: Promised): void {
  if (max_live_jobs !== null && after.live > Math.max(max_live_jobs, before.live)) {
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
