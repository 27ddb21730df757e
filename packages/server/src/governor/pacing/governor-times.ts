import type { Configuration } from '@holdfast/contract';
import type { GovernorOptions } from './governor.ts';

type Times = Pick<Configuration, 'breakerFailures' | 'breakerPauseSeconds' | 'probeSeconds' | 'shareSeconds'>;

/** The breaker and the leases of a governor, as they are configured. */
export function governorTimes(times: Times) {
  return {
    breaker: { failures: times.breakerFailures, pauseSeconds: times.breakerPauseSeconds },
    probeTtlMs: times.probeSeconds * 1000,
    shareTtlMs: times.shareSeconds * 1000,
  } satisfies Partial<GovernorOptions>;
}
