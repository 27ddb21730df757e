import { HoldfastError, type Job } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import type { Caller } from '../caller.ts';

/** The job, if the caller may know of it. One of another owner is not forbidden but not there: its id tells nothing. */
export async function visibleJob(db: Queryable, caller: Caller, id: string): Promise<Job> {
  const job = await showJob(db, id);
  if (!caller.seesEveryOwner && job.user_id !== caller.userId) throw new HoldfastError('job_not_found', id);
  return job;
}
