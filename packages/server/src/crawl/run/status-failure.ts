import { STATUS_CODES } from 'node:http';
import { HoldfastError } from '@holdfast/contract';

/** The error of an answer that brings no page, now or later. */
export function statusFailure(status: number): HoldfastError {
  if (status >= 400) return new HoldfastError('page_refused', `HTTP ${status}`);
  // The site refused nothing: 204 has no content, 206 a part of it, 304 is the answer to a question that nobody asked.
  const phrase = STATUS_CODES[status];
  return new HoldfastError(
    'nothing_to_fetch',
    `the site answered HTTP ${status}${phrase ? ` (${phrase})` : ''}`,
  );
}
