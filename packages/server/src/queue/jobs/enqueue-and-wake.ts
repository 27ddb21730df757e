import type { JobRequest } from '@holdfast/contract';
import type pg from 'pg';
import { Pipeline } from '../../base/database/pipeline.ts';
import { type EnqueuedJob, enqueueJobs } from './enqueue-jobs.ts';
import type { Notifier } from './notifier.ts';

export interface Waking {
  readonly pool: pg.Pool;
  readonly notifier: Notifier;
}

/**
 * Creates jobs, all or none, and wakes idle workers. The notification goes right behind the statement that creates the jobs, on
 * its connection, as a transaction of its own: the server sends it as soon as they are committed, not when we have read that they
 * are. When nothing was created after all, somebody looks in vain.
 */
export async function enqueueAndWake(
  { pool, notifier }: Waking,
  requests: readonly JobRequest[],
  actor?: string,
): Promise<EnqueuedJob[]> {
  const connection = new Pipeline(pool);
  let woken: Promise<void> | undefined;
  const wake = () => {
    woken ??= notifier.notify('work', connection);
  };
  const enqueued = await enqueueJobs(connection, requests, actor, wake);
  await woken;
  return enqueued;
}
