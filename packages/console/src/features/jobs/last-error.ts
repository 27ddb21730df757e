import type { ApiJob } from '@holdfast/contract';

type FailedJob = Pick<ApiJob, 'status' | 'error_code'> & Partial<Pick<ApiJob, 'error_message'>>;

/**
 * The error of a failed or waiting job. Errors that were or will be resolved automatically are only in its timeline.
 */
export function lastError({ status, error_code, error_message }: FailedJob) {
  const counts = status === 'failed' || status === 'retryable' || status === 'expired';
  return counts && error_code !== null ? { code: error_code, message: error_message } : undefined;
}
