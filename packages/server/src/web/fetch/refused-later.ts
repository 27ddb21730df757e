import { HoldfastError } from '@holdfast/contract';
import type { FetchHead } from '../../web/fetch/fetcher.ts';

/** An answer that is worth another try, with when, where the other side said so. Undefined for every other answer. */
export function refusedLater({
  status,
  retryAfterSeconds,
}: Pick<FetchHead, 'status' | 'retryAfterSeconds'>): HoldfastError | undefined {
  if (status !== 429 && status < 500) return undefined;
  const error = new HoldfastError(status === 429 ? 'rate_limited' : 'site_error', `HTTP ${status}`);
  return Object.assign(error, { retryAfterSeconds });
}
