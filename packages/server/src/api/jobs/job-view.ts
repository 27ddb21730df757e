import { allowedActions, type apiJob, type Job } from '@holdfast/contract';
import type { z } from 'zod';

export type JobView = z.output<typeof apiJob>;

/** A job as the API shows it. */
export function jobView(job: Job): JobView {
  const { url } = job.payload;
  return {
    ...job,
    url: typeof url === 'string' ? url : null,
    allowed_actions: allowedActions(job.status, job.requested_action, job.kind),
  };
}
