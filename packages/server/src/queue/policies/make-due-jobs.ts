import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { createDueJobs, type DueJob } from './scheduler.ts';

const batch = 500;

/** The scheduler's turn: makes the jobs of all policies that are due, a batch at a time. */
export async function makeDueJobs(
  db: Queryable,
  log: Logger,
  workerId: string,
  signal?: AbortSignal,
): Promise<DueJob[]> {
  const all: DueJob[] = [];
  while (!signal?.aborted) {
    const made = await createDueJobs(db, `scheduler:${workerId}`, batch);
    for (const job of made)
      log.info({ job: job.job_id, policy: job.policy_id }, `Made job ${job.job_id} of a policy that was due`);
    all.push(...made);
    // Fewer also when others took some; what is left then is theirs, or comes next time.
    if (made.length < batch) break;
  }
  return all;
}
