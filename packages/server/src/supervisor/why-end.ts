import type { ErrorCode } from '@holdfast/contract';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import type { RunnerProcess } from './runner-process.ts';

/** Why a runner has to be ended, whatever it runs: it has outgrown its memory, or hangs. Undefined: it is well. */
export function whyEnd(
  { rssBytes, msSinceTick }: Pick<RunnerProcess, 'rssBytes' | 'msSinceTick'>,
  job: ClaimedJob,
  memoryMb: number,
): { readonly code: ErrorCode; readonly detail: string } | undefined {
  const rssMb = Math.round(rssBytes / 1_000_000);
  if (rssMb > memoryMb) return { code: 'runner_out_of_memory', detail: `${rssMb} MB of ${memoryMb} allowed` };
  if (msSinceTick > hangMs(job))
    return { code: 'runner_hung', detail: `no sign of life for ${hangMs(job)} ms` };
  return undefined;
}

/** A quarter of the lease without a sign of life counts as hanging. */
export function hangMs(job: ClaimedJob): number {
  return (job.lease_seconds * 1000) / 4;
}
