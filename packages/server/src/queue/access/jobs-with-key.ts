import type { ApiKey, JobRequest } from '@holdfast/contract';
import { inTransaction } from '../../base/database/in-transaction.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { enqueueAndWake, type Waking } from '../jobs/enqueue-and-wake.ts';
import { type EnqueuedJob, enqueueJobs, unlessConflict } from '../jobs/enqueue-jobs.ts';
import { hasJobQuota, lockJobQuota, spendJobQuota } from './key-quotas.ts';

/**
 * Makes jobs in the name of a key and within its quotas, all or none, and wakes workers. What was made before (same idempotency
 * key, or a live job with the dedupe key) is answered even by a key that is spent, for it costs nothing. `also` is done with
 * them, or they are not made.
 */
export async function enqueueWithKey(
  waking: Waking,
  key: ApiKey,
  requests: readonly Omit<JobRequest, 'user_id'>[],
  actor: string,
  also?: (db: Queryable) => Promise<unknown>,
): Promise<EnqueuedJob[]> {
  const owned = requests.map((request) => ({ ...request, user_id: key.user_id }) as JobRequest);
  // One statement is all or none by itself.
  if (owned.length === 1 && !also && !hasJobQuota(key))
    return unlessConflict(await enqueueAndWake(waking, owned, actor));
  const all = await inTransaction(waking.pool, async (db) => {
    const quota = hasJobQuota(key) ? await lockJobQuota(db, key) : undefined;
    const enqueued = unlessConflict(await enqueueJobs(db, owned, actor));
    const created = enqueued.filter(({ outcome }) => outcome === 'created').map(({ job }) => job.id);
    if (quota) await spendJobQuota(db, key, quota, created);
    await also?.(db);
    return enqueued;
  });
  if (all.some(({ outcome }) => outcome === 'created')) await waking.notifier.notify('work');
  return all;
}
