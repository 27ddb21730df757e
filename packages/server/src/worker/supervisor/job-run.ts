import type { Logger } from 'pino';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { Renewal } from '../../queue/jobs/renew-leases.ts';
import type { RunnerProcess } from './runner-process.ts';
import { isHung, whyEnd } from './why-end.ts';

/** A job, and the process of its own that runs it. */
export class JobRun {
  readonly job: ClaimedJob;
  readonly runner: RunnerProcess;
  readonly #deadline: number | null;
  #leaseEnds: number;

  /** `asked`: when the claim was sent. */
  constructor(job: ClaimedJob, runner: RunnerProcess, asked: number) {
    this.job = job;
    this.runner = runner;
    this.#leaseEnds = asked + job.lease_seconds * 1000;
    this.#deadline = job.timeout_seconds === null ? null : performance.now() + job.timeout_seconds * 1000;
  }

  begin(): void {
    this.runner.run(this.job, this.#leaseEnds - performance.now());
  }

  /** By our monotonic clock, counted from before the question was sent: never later than the database's. */
  get leaseEnds(): number {
    return this.#leaseEnds;
  }

  get isTicking(): boolean {
    return !isHung(this.runner, this.job);
  }

  heed(renewal: Renewal | undefined, asked: number, log: Logger): void {
    const { job, runner } = this;
    // Its end is being written down: that ended the lease.
    if (renewal === 'lost' && runner.hasEnded) return;
    if (renewal === 'lost') {
      log.warn({ job: job.id, fence: job.fence }, 'The lease is lost; the runner is ended');
      runner.kill('lease_lost', 'another holder has the job, or an operator took it back');
      return;
    }
    if (renewal === 'busy' || renewal === undefined) return;
    this.#leaseEnds = asked + job.lease_seconds * 1000;
    runner.renewed(this.#leaseEnds - performance.now());
    if (renewal !== 'continue') runner.stop(renewal);
  }

  /** Ends a runner that hangs, outgrows its memory, exceeds its time, or whose lease ran out while the database was away. */
  watch(mayJudge: boolean, memoryMb: number): void {
    const { job, runner } = this;
    const now = performance.now();
    const why = mayJudge ? whyEnd(runner, job, memoryMb) : undefined;
    if (why) runner.kill(why.code, why.detail);
    else if (this.#deadline !== null && now > this.#deadline)
      runner.kill('run_timed_out', `after ${job.timeout_seconds} s`);
    else if (now > this.#leaseEnds) runner.kill('lease_lost', 'the lease could not be renewed in time');
    // Nothing new, but a sign of life, also while the database is away: a runner that hears nothing gives its job back.
    else runner.renewed(this.#leaseEnds - now);
  }
}
