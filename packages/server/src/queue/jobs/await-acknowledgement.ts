import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { showJob } from './find-jobs.ts';

const patienceMs = 2_000;
const lookMs = 50;

/**
 * Waits a moment for the holder of a running job to act on a request. Acknowledged means that the status has changed;
 * otherwise the job comes back still processing, with its requested_action.
 */
export async function awaitAcknowledgement(db: Queryable, id: string): Promise<Job> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const job = await showJob(db, id);
    if (job.status !== 'processing' || job.requested_action === null || performance.now() >= until)
      return job;
    await delay(lookMs);
  }
}
