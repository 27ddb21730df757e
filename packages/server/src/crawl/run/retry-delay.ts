import type { HoldfastError } from '@holdfast/contract';
import type { FrontierEntry, Tries } from '../frontier/frontier-entry.ts';

const maxMs = 10 * 60_000;

/**
 * 1 s, 8 s, 64 s …, and no sooner than Retry-After: most transient faults last a second, a restart ten. Up to 50 %
 * jitter, so that URLs that failed together are not retried together.
 */
export function retryDelayMs(attempts: number, retryAfterSeconds = 0): number {
  const backoff = Math.min(1_000 * 8 ** (attempts - 1), maxMs) * (1 + 0.5 * Math.random());
  // The first time, Retry-After alone applies.
  if (attempts === 1 && retryAfterSeconds > 0) return retryAfterSeconds * 1000 * (1 + 0.1 * Math.random());
  return Math.max(backoff, retryAfterSeconds * 1000 * (1 + 0.1 * Math.random()));
}

/** Refusals by an overloaded host allowed for each attempt: they say nothing about the URL. */
export const triesWhenRefused = 4;
const maxRefusedMs = 60_000;

/** Failures and refusals have separate limits, so that refusals do not use up a URL's attempts. */
export function areUsedUp({ attempts, refusals }: Tries, most: number): boolean {
  return attempts - refusals >= most || refusals >= most * triesWhenRefused;
}

/** 1 s, 2 s, 4 s …; the governor limits the request rate. */
function refusedDelayMs(attempts: number, retryAfterSeconds = 0): number {
  const backoff = Math.min(500 * 2 ** attempts, maxRefusedMs);
  return Math.max(backoff, retryAfterSeconds * 1000) * (1 + 0.5 * Math.random());
}

/** 0.5 s, 1 s, 2 s …, for the first page of a crawl. */
function seedDelayMs(attempts: number): number {
  return Math.min(250 * 2 ** attempts, maxMs);
}

/** When to retry a URL, by performance.now(), and its number of attempts by then; null: never. */
export function nextTry(
  { attempts, refusals, depth, parent }: FrontierEntry,
  { code, retry }: HoldfastError,
  most: number,
  isRefused: boolean,
  retryAfterSeconds?: number,
): (Tries & { until: number }) | null {
  const tries = { attempts: attempts + 1, refusals: refusals + (isRefused ? 1 : 0) };
  if (retry === 'never' || areUsedUp(tries, most)) return null;
  // A user may be waiting to learn that the site does not exist.
  const isStart = depth === 0 && parent === null && (code === 'connection_failed' || code === 'dns_failed');
  const delayOf = isRefused ? refusedDelayMs : isStart ? seedDelayMs : retryDelayMs;
  const ofItsKind = isRefused ? tries.refusals : tries.attempts - tries.refusals;
  return { ...tries, until: performance.now() + delayOf(ofItsKind, retryAfterSeconds) };
}
