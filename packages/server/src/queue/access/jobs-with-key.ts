import type { ApiKey, JobRequest } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, type Queryable } from '../../base/database/statement.ts';
import {
  type EnqueuedJob,
  enqueueAndWake,
  enqueueJobs,
  type QueueClient,
  unlessConflict,
} from '../jobs/enqueue-jobs.ts';
import {
  countLiveJobs,
  hasJobQuota,
  lockJobQuota,
  spendJobQuota,
  spendJobsPerDay,
  spendLiveJobs,
} from './key-quotas.ts';

/**
 * Creates jobs for the key's owner within the key's quotas, all or none, and wakes workers. Jobs that already exist (same
 * idempotency key, or a live job with the dedupe key) cost no quota. `also` runs in the same transaction.
 */
export async function enqueueWithKey(
  client: QueueClient,
  key: ApiKey,
  requests: readonly Omit<JobRequest, 'user_id'>[],
  actor: string,
  also?: (db: Queryable) => Promise<unknown>,
): Promise<EnqueuedJob[]> {
  const owned = requests.map((request) => ({ ...request, user_id: key.user_id }) as JobRequest);
  // A single statement needs no transaction.
  if (owned.length === 1 && !also && !hasJobQuota(key))
    return unlessConflict(await enqueueAndWake(client, owned, actor));
  const all = await inTransaction(client.pool, async (db) => {
    const quota = hasJobQuota(key) ? await lockJobQuota(db, key) : undefined;
    const enqueued = unlessConflict(await enqueueJobs(db, owned, actor));
    const created = enqueued.filter(({ outcome }) => outcome === 'created').map(({ job }) => job.id);
    if (quota) await spendJobQuota(db, key, quota, created);
    await also?.(db);
    return enqueued;
  });
  if (all.some(({ outcome }) => outcome === 'created')) await client.notifier.notify('work');
  return all;
}

interface Retried {
  /** Ids of the jobs that are live again. */
  readonly live: readonly string[];
  /** How many of them are new jobs that rerun a completed one. */
  readonly made?: number;
}

/** Retries finished jobs within the key's quotas. `work` gets the number of jobs it may make live, and returns them. */
export async function retryWithKey<Result extends Retried>(
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
