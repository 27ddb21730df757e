import { type ApiKey, HoldfastError, type JobRequest } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import type { Queryable } from '../database/statement.ts';
import { type EnqueuedJob, enqueueJobs } from '../queue/enqueue-jobs.ts';
import { hasJobQuota, lockJobQuota, spendJobQuota } from './job-quota.ts';

/**
 * Makes jobs in the name of a key and within its quotas, all or none. What was made before (same idempotency key, or a
 * live job with the dedupe key) is answered even by a key that is spent, for it costs nothing. `also` is done with them, or
 * they are not made.
 */
export async function enqueueWithKey(
  pool: pg.Pool,
  key: ApiKey,
  requests: readonly Omit<JobRequest, 'user_id'>[],
  actor: string,
  also?: (db: Queryable) => Promise<unknown>,
): Promise<EnqueuedJob[]> {
  const owned = requests.map((request) => ({ ...request, user_id: key.user_id }) as JobRequest);
  // One statement is all or none by itself.
  if (owned.length === 1 && !also && !hasJobQuota(key)) return enqueueUnlessConflict(pool, owned, actor);
  return inTransaction(pool, async (db) => {
    const quota = hasJobQuota(key) ? await lockJobQuota(db, key) : undefined;
    const enqueued = await enqueueUnlessConflict(db, owned, actor);
    const created = enqueued.filter(({ outcome }) => outcome === 'created').map(({ job }) => job.id);
    if (quota) await spendJobQuota(db, key, quota, created);
    await also?.(db);
    return enqueued;
  });
}

async function enqueueUnlessConflict(
  db: Queryable,
  requests: readonly JobRequest[],
  actor: string,
): Promise<EnqueuedJob[]> {
  const enqueued = await enqueueJobs(db, requests, actor);
  const conflict = enqueued.find(({ outcome }) => outcome === 'conflict');
  if (!conflict) return enqueued;
  const { idempotency_key, id } = conflict.job;
  throw new HoldfastError('idempotency_conflict', `key ${idempotency_key} made job ${id}`);
}
