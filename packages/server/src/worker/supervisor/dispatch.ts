import type { ErrorCode } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { Renewal } from '../../queue/jobs/renew-leases.ts';
import type { RunnerProcess } from './runner-process.ts';

/** A job given to a runner process of its own: its lease, its deadline, and what the supervisor tells the runner. */
export class Dispatch {
  readonly job: ClaimedJob;
  readonly runner: RunnerProcess;
  readonly #deadline: number | null;
  #leaseEnds: number;

  /** `asked`: when the claim was sent, from which the lease is counted. */
  constructor(job: ClaimedJob, runner: RunnerProcess, asked: number) {
    this.job = job;
    this.runner = runner;
    this.#leaseEnds = asked + job.lease_seconds * 1000;
    this.#deadline = job.timeout_seconds === null ? null : performance.now() + job.timeout_seconds * 1000;
  }

  begin(): void {
    this.runner.run(this.job, this.#leaseEnds - performance.now());
  }

  /** By our monotonic clock; never later than the end of the lease in the database. */
  get leaseEnds(): number {
    return this.#leaseEnds;
  }

  get isTicking(): boolean {
    return !isHung(this.runner, this.job);
  }

  /** Acts on the answer to a renewal: a new lease end, a request for the job, or the loss of the lease. */
  applyRenewal(renewal: Renewal | undefined, asked: number, log: Logger): void {
    const { job, runner } = this;
    // Recording its end ended the lease.
    if (renewal === 'lost' && runner.hasEnded) return;
    if (renewal === 'lost') {
      log.warn({ job: job.id, fence: job.fence }, 'The lease is lost; ending the runner');
      runner.kill('lease_lost', 'another holder has the job, or an operator took it back');
      return;
    }
    if (renewal === 'busy' || renewal === undefined) return;
    this.#leaseEnds = asked + job.lease_seconds * 1000;
    runner.renewed(this.#leaseEnds - performance.now());
    if (renewal !== 'continue') runner.stop(renewal);
  }

  /** Ends a runner that hangs, exceeds its memory or its time, or whose lease ran out while the database was away. */
  watch(mayJudge: boolean, memoryMb: number): void {
    const { job, runner } = this;
    const now = performance.now();
    const why = mayJudge ? whyEnd(runner, job, memoryMb) : undefined;
    if (why) runner.kill(why.code, why.detail);
    else if (this.#deadline !== null && now > this.#deadline)
      runner.kill('run_timed_out', `after ${job.timeout_seconds} s`);
    else if (now > this.#leaseEnds) runner.kill('lease_lost', 'the lease could not be renewed in time');
    // A sign of life, also while the database is away: a runner that hears nothing gives its job back.
    else runner.renewed(this.#leaseEnds - now);
  }
}

/** Why a runner must be ended, whatever it runs: too much memory, or no sign of life. Undefined: it is well. */
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
 * A runner hangs after a quarter of the lease without a sign of life, unless the machine hardly let it run: ending it for that would
 * burn a retry, and starting another would make the machine busier still.
 */
export function isHung(runner: Pick<RunnerProcess, 'msSinceTick' | 'isStarved'>, job: ClaimedJob): boolean {
  return runner.msSinceTick > hangMs(job) && !runner.isStarved(hangMs(job) / 2);
}

function hangMs(job: ClaimedJob): number {
  return (job.lease_seconds * 1000) / 4;
}
