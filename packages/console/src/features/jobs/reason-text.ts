import type { ListedJob } from '@holdfast/contract';
import { lastError } from './last-error.ts';

type ReasonFields = Pick<ListedJob, 'status' | 'error_code' | 'error_message' | 'waiting'>;

/** What a job waits for, or its error; undefined if neither applies. */
export function reasonText(job: ReasonFields): string | undefined {
  if (job.waiting) return job.waiting.text;
  const error = lastError(job);
  return error && (error.message ? `${error.code}: ${error.message}` : error.code);
}
