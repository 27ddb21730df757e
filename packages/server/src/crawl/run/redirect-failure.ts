import { HoldfastError } from '@holdfast/contract';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';

const maxShown = 300;
/** PostgreSQL stores no NUL, and nobody wants to see the others. */
const control = /\p{Cc}/gu;

/** The error of a redirect that cannot be followed: to `file:`, to `javascript:`, to what is no URL, or to nothing at all. */
export function redirectFailure({
  status,
  headers,
}: Pick<FetchResponse, 'status' | 'headers'>): HoldfastError {
  const { location } = headers;
  if (!location) return new HoldfastError('response_invalid', `HTTP ${status} without a Location`);
  const target = location.replaceAll(control, ' ');
  const shown = target.length > maxShown ? `${target.slice(0, maxShown)}…` : target;
  // RFC 9110 lets a client follow what the site prefers; this one follows only what is a redirect (read-head.ts).
  const leads = status === 300 ? 'offers a choice, and prefers' : 'leads to';
  return new HoldfastError('url_invalid', `HTTP ${status} ${leads} ${shown}`);
}
