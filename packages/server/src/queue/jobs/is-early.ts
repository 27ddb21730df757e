import type { Job } from '@holdfast/contract';

/** Whether a time lies ahead that the job waits for. */
export function isEarly({
  status,
  run_at,
  next_retry_at,
}: Pick<Job, 'status' | 'run_at' | 'next_retry_at'>): boolean {
  const until = status === 'retryable' ? next_retry_at : status === 'pending' ? run_at : null;
  return until !== null && until.getTime() > Date.now();
}
