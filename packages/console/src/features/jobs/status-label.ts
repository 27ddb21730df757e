import type { ApiJob } from '@holdfast/contract';

/** The status, and the requested one. */
export function statusLabel({
  status,
  requested_action,
}: Pick<ApiJob, 'status' | 'requested_action'>): string {
  if (status !== 'processing' || !requested_action) return status;
  return requested_action === 'pause' ? 'pausing' : 'cancelling';
}
