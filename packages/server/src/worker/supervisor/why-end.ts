import type { ErrorCode } from '@holdfast/contract';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { RunnerProcess } from './runner-process.ts';

/** Why a runner has to be ended, whatever it runs: it has outgrown its memory, or hangs. Undefined: it is well. */
export function whyEnd(
  runner: Pick<RunnerProcess, 'rssBytes' | 'msSinceTick' | 'isStarved'>,
  job: ClaimedJob,
  memoryMb: number,
): { readonly code: ErrorCode; readonly detail: string } | undefined {
  const rssMb = Math.round(runner.rssBytes / 1_000_000);
  if (rssMb > memoryMb) return { code: 'runner_out_of_memory', detail: `${rssMb} MB of ${memoryMb} allowed` };
  if (isHung(runner, job)) return { code: 'runner_hung', detail: `no sign of life for ${hangMs(job)} ms` };
  return undefined;
}

/**
 * A quarter of the lease without a sign of life counts as hanging, unless the machine hardly let it run: ended for that, it would
 * burn a retry, and its successor's start would make the machine busier still.
 */
export function isHung(runner: Pick<RunnerProcess, 'msSinceTick' | 'isStarved'>, job: ClaimedJob): boolean {
  return runner.msSinceTick > hangMs(job) && !runner.isStarved(hangMs(job) / 2);
}

function hangMs(job: ClaimedJob): number {
  return (job.lease_seconds * 1000) / 4;
}
