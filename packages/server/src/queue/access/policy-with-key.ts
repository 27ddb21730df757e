import type { ApiKey, Policy } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { findPolicy } from '../policies/find-policies.ts';
import {
  hasJobQuota,
  type JobQuota,
  liveRetrySeconds,
  lockJobQuota,
  QuotaExceeded,
  spendJobsPerDay,
} from './key-quotas.ts';

/** Waiting does not help here; a long Retry-After keeps programs that know nothing else from hammering. */
const retrySeconds = 3600;
const hint =
  'Waiting does not help: disable or delete a policy, run policies less often, or ask for a larger quota.';
const nearly = 1e-6;

/**
 * Creates, changes or deletes a policy in the name of a key. The scheduler creates its jobs later, without a key, so the jobs
 * that the policies promise count against the quotas now (docs/adr/0016). `makesDue`: the key asks for a job before its time.
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

/** The same inside a transaction of the caller's. */
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
  // Created, enabled, or run more often. A change that promises less is always allowed, even above the quota.
  const promisesMore = after.per_day > before.per_day;
  if (promisesMore) refuseTooMuch(quota, before, after);
  // Otherwise disabling and enabling a policy over and over would yield any number of jobs.
  if (promisesMore || (makesDue && !(await hasLiveJob(db, policy))))
    await spendJobsPerDay(db, key, quota.max_jobs_per_day, 1);
  return policy;
}

/** Reads the policy again: its job may have ended while the change waited for the lock. */
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
        `${max_live_jobs} live jobs, and disabled or deleted policies still have ${after.left_behind}`,
        liveRetrySeconds,
      );
    throw new QuotaExceeded(
      `${max_live_jobs} live jobs, which allows as many enabled policies`,
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

/** The jobs that the policies of an owner may create. */
interface Promised {
  readonly enabled: number;
  /** Live jobs of policies that were disabled or deleted since; they free their quota only when they end. */
  readonly left_behind: number;
  /** Jobs a day that the enabled policies create while nothing fails. */
  readonly per_day: number;
}

/* Looks policies up one by one by their key: with stale statistics, a join would read every policy. */
const promisedStatement = statement<Promised>(
  'promised-by-policies',
  `
SELECT count(*) AS enabled, coalesce(sum(24 / frequency_hours), 0)::float8 AS per_day, (
    SELECT count(*) FROM crawl_jobs job
    WHERE job.user_id = $1 AND job.dedupe_key LIKE 'policy:%'
      AND job.status IN ('pending', 'processing', 'retryable', 'paused')
      AND (SELECT enabled FROM crawl_policies policy WHERE policy.id = job.policy_id) IS NOT TRUE
  ) AS left_behind
FROM crawl_policies WHERE user_id = $1 AND enabled`,
);

const lockStatement = statement<never>(
  'lock-promise',
  `SELECT FROM pg_advisory_xact_lock(hashtextextended('promised by policies of ' || $1, 0))`,
);

/** Blocks quota-bound changes to this owner's policies until the transaction ends, whichever key they come with. */
async function lockPromise(db: Queryable, { user_id }: ApiKey): Promise<Promised> {
  await run(db, lockStatement, [user_id]);
  return promisedBy(db, user_id);
}

async function promisedBy(db: Queryable, owner: string): Promise<Promised> {
  const [row] = await run(db, promisedStatement, [owner]);
  return row ?? { enabled: 0, left_behind: 0, per_day: 0 };
}
