import type { ApiJob } from '@holdfast/contract';

type Told = Pick<ApiJob, 'status' | 'error_code'> & Partial<Pick<ApiJob, 'error_message'>>;

/** What a job failed with, or waits because of. What it got over, or gets over by itself, is in its timeline. */
export function lastError({ status, error_code, error_message }: Told) {
  const counts = status === 'failed' || status === 'retryable' || status === 'expired';
  return counts && error_code !== null ? { code: error_code, message: error_message } : undefined;
}
