import { webhookBackoff } from '@holdfast/contract';

const { firstSeconds, factor, maxSeconds, jitter } = webhookBackoff;

/**
 * How long to wait after so many attempts. Spread a little, so that what failed together does not come back together;
 * longer if the receiver asked for it.
 */
export function backoffSeconds(attempts: number, retryAfterSeconds = 0, random = Math.random()): number {
  const wait = Math.min(firstSeconds * factor ** (attempts - 1), maxSeconds);
  return Math.max(wait * (1 - jitter + 2 * jitter * random), retryAfterSeconds);
}

const longestPauseSeconds = 300;

/** How long all deliveries of a webhook wait when one has failed: 1, 2, 4 … seconds, or as its receiver asked. */
export function pauseSeconds(failureStreak: number, retryAfterSeconds = 0): number {
  return Math.max(Math.min(2 ** Math.min(failureStreak, 20), longestPauseSeconds), retryAfterSeconds);
}
