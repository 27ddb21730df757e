import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { supervisorEnds } from '../../queue/jobs/end-run.ts';
import { type HeldJob, isSameLease } from '../../queue/jobs/held-job.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import type { Renewal } from '../../queue/jobs/renew-leases.ts';
import { isHung, whyEnd } from './dispatch.ts';
import { type Holder, untilAnswered } from './hand-back.ts';
import type { RunnerProcess } from './runner-process.ts';
import { settlePooledExit } from './settle-exit.ts';
import { findSuspectJobs } from './suspects.ts';

/** What the pool needs of a process. */
export type PooledRunner = Pick<
  RunnerProcess,
  | 'pid'
  | 'exited'
  | 'rssBytes'
  | 'msSinceTick'
  | 'isStarved'
  | 'hasAsked'
  | 'runPooled'
  | 'renewedPooled'
  | 'stopPooled'
  | 'stop'
  | 'kill'
>;

interface PooledRun {
  readonly job: ClaimedJob;
  /** Set when the job is sent to it; a job without a process cannot have killed one. */
  runner?: PooledRunner;
  /** By our monotonic clock, never later than the database's. */
  leaseEnds: number;
}

export interface RunnerPoolOptions extends Holder {
  readonly memoryMb: number;
  readonly spawn: (onPooledEnd: (id: string, fence: number) => void) => PooledRunner;
  /** A run has ended and there is room for another; `requeued`: its job may be back in the queue. */
  readonly onEnded: (requeued: boolean) => void;
}

/** Suspects that run at a time, each in a process of its own: the death of a full pool must not start hundreds. */
const mostAlone = 2;

/**
 * Visits and collections share one process, many at a time (ADR 12). When it dies, nobody knows of which job: each runs alone next, and
 * only one that dies alone burns a retry.
 *
 * Suspects wait here for their turn, in the order of their claim, and take the room of a run. Handed back, they would be claimed again
 * at once, over and over; and as they take room, a pool that dies repeatedly does not gather more and more of them.
 */
export class RunnerPool {
  readonly #options: RunnerPoolOptions;
  readonly #runs = new Set<PooledRun>();
  /** Runs that wait for their turn to run alone. */
  readonly #waiting = new Set<PooledRun>();
  readonly #adding = new Set<Promise<void>>();
  readonly #endings = new Set<Promise<void>>();
  #shared: PooledRunner | undefined;
  #isStopping = false;

  constructor(options: RunnerPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Runs whose process has not reached its first request. */
  get unproven(): number {
    return [...this.#runs].filter(({ runner }) => !runner?.hasAsked).length;
  }

  /** Whether the shared process works, so that another job needs no new one. */
  get isProven(): boolean {
    return this.#shared?.hasAsked === true;
  }

  holds(lease: HeldJob): boolean {
    return [...this.#runs].some(({ job }) => isSameLease(job, lease));
  }

  /** Jobs whose leases are to be renewed: waiting ones, and those of processes that show signs of life. */
  get ticking(): ClaimedJob[] {
    return [...this.#runs].filter(({ job, runner }) => !runner || !isHung(runner, job)).map(({ job }) => job);
  }

  /** Resolves when every job is in a process or waits for its turn to run alone. */
  add(jobs: readonly ClaimedJob[], asked: number): Promise<void> {
    const runs = jobs.map((job): PooledRun => ({ job, leaseEnds: asked + job.lease_seconds * 1000 }));
    // Counted at once, so that no more are claimed than there is room for.
    for (const run of runs) this.#runs.add(run);
    return remember(this.#adding, this.#distribute(runs));
  }

  applyRenewal(job: ClaimedJob, renewal: Renewal | undefined, asked: number): void {
    const run = [...this.#runs].find((one) => one.job === job);
    if (!run || renewal === 'busy' || renewal === undefined) return;
    if (renewal === 'lost') {
      this.#lose(run);
      return;
    }
    run.leaseEnds = asked + job.lease_seconds * 1000;
    run.runner?.renewedPooled(job, run.leaseEnds - performance.now());
    if (renewal === 'continue') return;
    if (run.runner) run.runner.stopPooled(job, renewal);
    // No process will answer the request, so a release does.
    else this.#handBack([run], `${renewal} requested`);
  }

  /** Ends processes that hang or exceed their memory, and runs whose lease could not be renewed. */
  watch(mayJudge: boolean): void {
    const { memoryMb } = this.#options;
    const now = performance.now();
    for (const run of this.#runs) {
      const { job, runner, leaseEnds } = run;
      const why = runner && mayJudge ? whyEnd(runner, job, memoryMb) : undefined;
      if (why) runner?.kill(why.code, why.detail);
      else if (now > leaseEnds) this.#lose(run);
    }
  }

  /** Lets the runs hand their jobs back; no retry is burned. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    // First: a runner that was told to stop takes no more jobs, and would seem to have died of one.
    await Promise.all(this.#adding);
    this.#handBack([...this.#waiting], supervisorEnds.drain);
    const runners = new Set([...this.#runs].flatMap(({ runner }) => runner ?? []));
    if (this.#shared) runners.add(this.#shared);
    for (const runner of runners) runner.stop('drain');
    await Promise.all([...runners].map(({ exited }) => exited));
    await Promise.all(this.#endings);
  }

  kill(): void {
    this.#isStopping = true;
    this.#shared?.kill('runner_crashed', 'the supervisor was ended');
    for (const { runner } of this.#runs) runner?.kill('runner_crashed', 'the supervisor was ended');
  }

  async #distribute(runs: readonly PooledRun[]): Promise<void> {
    const { db, log } = this.#options;
    const jobs = runs.map(({ job }) => job);
    const suspects = await findSuspectJobs(db, jobs, log);
    // Some may have been released meanwhile.
    const here = runs.filter((run) => this.#runs.has(run));
    if (this.#isStopping) {
      this.#handBack(here, supervisorEnds.drain);
      return;
    }
    for (const run of here) {
      if (suspects.has(run.job.id)) this.#waiting.add(run);
      else this.#give(run, this.#process());
    }
    this.#startSuspects();
  }

  #startSuspects(): void {
    if (this.#isStopping || this.#waiting.size === 0) return;
    let alone = [...this.#runs].filter(({ runner }) => runner && runner !== this.#shared).length;
    for (const run of this.#waiting) {
      if (alone >= mostAlone) return;
      this.#waiting.delete(run);
      this.#give(run, this.#spawn());
      alone++;
    }
  }

  #give(run: PooledRun, runner: PooledRunner): void {
    run.runner = runner;
    runner.runPooled(run.job, run.leaseEnds - performance.now());
  }

  #process(): PooledRunner {
    this.#shared ??= this.#spawn();
    return this.#shared;
  }

  #spawn(): PooledRunner {
    const { log } = this.#options;
    const runner = this.#options.spawn((id, fence) => this.#ended(runner, id, fence));
    remember(this.#endings, this.#settle(runner));
    log.info({ runner: runner.pid }, 'Started a pooled runner');
    return runner;
  }

  #ended(runner: PooledRunner, id: string, fence: number): void {
    for (const run of this.#runs) {
      if (run.runner !== runner || !isSameLease(run.job, { id, fence })) continue;
      this.#remove(run);
      // A process started for one job has done its work.
      if (runner !== this.#shared) runner.stop('drain');
      this.#startSuspects();
      this.#options.onEnded(false);
    }
  }

  /** The lease is lost or may be over: another holder may have the job, so nothing is written. */
  #lose(run: PooledRun): void {
    if (run.runner) {
      run.runner.stopPooled(run.job, 'lost');
      return;
    }
    this.#remove(run);
    this.#options.onEnded(false);
  }

  /** Gives back jobs that are in no process; no retry is burned. */
  #handBack(runs: readonly PooledRun[], reason: string): void {
    if (runs.length === 0) return;
    for (const run of runs) this.#remove(run);
    remember(this.#endings, this.#release(runs, reason));
  }

  async #release(runs: readonly PooledRun[], reason: string): Promise<void> {
    const { db, log, workerId, onEnded } = this.#options;
    const releases = runs.map(({ job }) => ({ ...job, reason }));
    const write = async () => {
      await releaseJobs(db, releases, `supervisor:${workerId}`);
    };
    await untilAnswered(write, Math.max(...runs.map(({ leaseEnds }) => leaseEnds)), log);
    onEnded(true);
  }

  #remove(run: PooledRun): void {
    this.#runs.delete(run);
    this.#waiting.delete(run);
  }

  /** Settles the jobs that a process left behind when it ended. */
  async #settle(runner: PooledRunner): Promise<void> {
    const exit = await runner.exited;
    if (this.#shared === runner) this.#shared = undefined;
    const left = [...this.#runs].filter((run) => run.runner === runner);
    if (left.length === 0) return;
    // Before anything is awaited, so that nothing else deals with a run that is being settled.
    for (const run of left) this.#remove(run);
    this.#startSuspects();
    const jobs = left.map(({ job }) => job);
    await settlePooledExit(jobs, exit, this.#options);
    this.#options.onEnded(true);
  }
}

/** Keeps a promise until it settles. */
function remember(all: Set<Promise<void>>, one: Promise<void>): Promise<void> {
  const kept = one.finally(() => all.delete(kept));
  all.add(kept);
  return kept;
}
