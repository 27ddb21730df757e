import { STATUS_CODES } from 'node:http';
import { HoldfastError } from '@holdfast/contract';
import type { FetchHead } from './fetcher.ts';

/** The error of a response that is worth another try (429, 5xx), with the site's Retry-After; undefined for all others. */
export function refusedLater({
  status,
  retryAfterSeconds,
}: Pick<FetchHead, 'status' | 'retryAfterSeconds'>): HoldfastError | undefined {
  if (status !== 429 && status < 500) return undefined;
  const error = new HoldfastError(status === 429 ? 'rate_limited' : 'site_error', `HTTP ${status}`);
  return Object.assign(error, { retryAfterSeconds });
}

/** The error of a response that brings no page and will not bring one later. */
export function statusFailure(status: number, headers: FetchHead['headers'] = {}): HoldfastError {
  if (status === 402)
    return new HoldfastError('page_refused', `HTTP 402: ${priceOf(headers)}. Nothing was paid`);
  if (status >= 400) return new HoldfastError('page_refused', `HTTP ${status}`);
  // The site refused nothing: 204 has no content, 206 a part of it, 304 answers a condition that was not sent.
  const phrase = STATUS_CODES[status];
  return new HoldfastError(
    'nothing_to_fetch',
    `the site answered HTTP ${status}${phrase ? ` (${phrase})` : ''}`,
  );
}

/** The price of a page, as pay-per-crawl states it. */
function priceOf({ 'crawler-price': price }: FetchHead['headers']): string {
  const stated = price
    ?.replace(/[^\x20-\x7e]/g, '')
    .slice(0, 100)
    .trim();
  return stated ? `the site asks ${stated} for this page` : 'the site asks for a payment';
}
