import { allowedActions, type apiJob, type Job, type listedJob } from '@holdfast/contract';
import type { z } from 'zod';
import type { Queryable } from '../../base/database/statement.ts';
import { findWaits } from '../../ops/jobs/find-waits.ts';
import { isEarly } from '../../queue/jobs/waiting-jobs.ts';

export type JobView = z.output<typeof apiJob>;

/** A job as the API shows it. */
export function jobView(job: Job): JobView {
  const { url } = job.payload;
  const { blocked_by: _, ...shown } = job;
  return {
    ...shown,
    url: typeof url === 'string' ? url : null,
    allowed_actions: allowedActions(job.status, job.requested_action, job.kind, isEarly(job)),
  };
}

/** Jobs in lists, with what they wait for. */
export async function jobViews(db: Queryable, jobs: readonly Job[]): Promise<z.output<typeof listedJob>[]> {
  const waits = await findWaits(db, jobs);
  return jobs.map((job) => ({ ...jobView(job), waiting: waits.get(job.id) ?? null }));
}
