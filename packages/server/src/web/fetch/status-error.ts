import { HoldfastError } from '@holdfast/contract';
import type { FetchHead } from './fetcher.ts';

/** The error of an answer that is worth another try later; undefined for every other, 404 and its like included. */
export function statusError({ status, retryAfterSeconds }: FetchHead): HoldfastError | undefined {
  if (status !== 429 && status < 500) return undefined;
  const wait = retryAfterSeconds === undefined ? '' : `, Retry-After ${retryAfterSeconds} s`;
  return new HoldfastError(status === 429 ? 'rate_limited' : 'site_error', `${status}${wait}`);
}
