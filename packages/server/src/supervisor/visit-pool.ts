import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../database/statement.ts';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import { crashJobs } from '../queue/crash-jobs.ts';
import { releaseJobs } from '../queue/release-jobs.ts';
import type { Renewal } from '../queue/renew-leases.ts';
import { markSuspects } from './mark-suspects.ts';
import type { RunnerProcess } from './runner-process.ts';

interface Visit {
  readonly job: ClaimedJob;
  readonly runner: RunnerProcess;
  /** By our monotonic clock, never later than the database's. */
  leaseEnds: number;
}

export interface VisitPoolOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly memoryMb: number;
  readonly spawn: (onVisited: (id: string, fence: number) => void) => RunnerProcess;
  /** A visit has ended, and there is room for another; its job may be back in the queue. */
  readonly onEnded: (requeued: boolean) => void;
}

const suspectsStatement = statement<{ job_id: string }>(
  'suspect-visits',
  'SELECT DISTINCT job_id FROM crawl_suspects WHERE job_id = ANY ($1::uuid[])',
);

/**
 * Visits share one process, many at a time. When it dies, nobody knows which of them it died of: each next runs alone, and
 * only one that dies alone burns a retry.
 */
export class VisitPool {
  readonly #options: VisitPoolOptions;
  readonly #visits = new Set<Visit>();
  readonly #endings = new Set<Promise<void>>();
  #shared: RunnerProcess | undefined;

  constructor(options: VisitPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#visits.size;
  }

  /** The jobs whose leases are to be renewed: those of processes that show signs of life. */
  get ticking(): ClaimedJob[] {
    return [...this.#visits]
      .filter(({ job, runner }) => runner.msSinceTick < hangMs(job))
      .map(({ job }) => job);
  }

  async add(jobs: readonly ClaimedJob[], asked: number): Promise<void> {
    const visits = jobs.map((job) => ({ job, leaseEnds: asked + job.lease_seconds * 1000 }));
    // Counted at once, so that no more are claimed than there is room for.
    const placeholders = visits.map(({ job, leaseEnds }) => this.#enter(job, leaseEnds, this.#process()));
    const suspects = await this.#suspects(jobs);
    for (const visit of placeholders) {
      if (!suspects.has(visit.job.id)) visit.runner.visit(visit.job, visit.leaseEnds - performance.now());
      else {
        this.#visits.delete(visit);
        const alone = this.#enter(visit.job, visit.leaseEnds, this.#spawn());
        alone.runner.visit(alone.job, alone.leaseEnds - performance.now());
      }
    }
  }

  heed(job: ClaimedJob, renewal: Renewal | undefined, asked: number): void {
    const visit = [...this.#visits].find((one) => one.job === job);
    if (!visit || renewal === 'busy' || renewal === undefined) return;
    if (renewal === 'lost') {
      visit.runner.stopVisit(job, 'lost');
      return;
    }
    visit.leaseEnds = asked + job.lease_seconds * 1000;
    visit.runner.renewedVisit(job, visit.leaseEnds - performance.now());
    if (renewal !== 'continue') visit.runner.stopVisit(job, renewal);
  }

  /** Ends processes that hang or outgrow their memory, and visits whose lease could not be renewed. */
  watch(): void {
    const { memoryMb } = this.#options;
    const now = performance.now();
    for (const { job, runner, leaseEnds } of this.#visits) {
      const rssMb = Math.round(runner.rssBytes / 1_000_000);
      if (rssMb > memoryMb) runner.kill('runner_out_of_memory', `${rssMb} MB of ${memoryMb} allowed`);
      else if (runner.msSinceTick > hangMs(job))
        runner.kill('runner_hung', `no sign of life for ${hangMs(job)} ms`);
      else if (now > leaseEnds) runner.stopVisit(job, 'lost');
    }
  }

  /** Lets the visits hand their jobs back; no retry is burned. */
  async drain(): Promise<void> {
    const runners = new Set([...this.#visits].map(({ runner }) => runner));
    if (this.#shared) runners.add(this.#shared);
    for (const runner of runners) runner.stop('drain');
    await Promise.all([...runners].map(({ exited }) => exited));
    await Promise.all(this.#endings);
  }

  kill(): void {
    this.#shared?.kill('runner_crashed', 'the supervisor was ended');
    for (const { runner } of this.#visits) runner.kill('runner_crashed', 'the supervisor was ended');
  }

  #enter(job: ClaimedJob, leaseEnds: number, runner: RunnerProcess): Visit {
    const visit = { job, runner, leaseEnds };
    this.#visits.add(visit);
    return visit;
  }

  async #suspects(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    try {
      const rows = await run(this.#options.db, suspectsStatement, [jobs.map(({ id }) => id)]);
      return new Set(rows.map(({ job_id }) => job_id));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Suspect visits could not be looked up; none is run apart');
      return new Set();
    }
  }

  #process(): RunnerProcess {
    this.#shared ??= this.#spawn();
    return this.#shared;
  }

  #spawn(): RunnerProcess {
    const { log } = this.#options;
    const runner = this.#options.spawn((id, fence) => this.#visited(runner, id, fence));
    const ending = this.#bury(runner).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    log.info({ runner: runner.pid }, 'Started a runner for visits');
    return runner;
  }

  #visited(runner: RunnerProcess, id: string, fence: number): void {
    for (const visit of this.#visits) {
      if (visit.runner !== runner || visit.job.id !== id || visit.job.fence !== fence) continue;
      this.#visits.delete(visit);
      // A process that was started for one visit has done its work.
      if (runner !== this.#shared) runner.stop('drain');
      this.#options.onEnded(false);
    }
  }

  /** Sees to the visits that a process left behind when it ended. */
  async #bury(runner: RunnerProcess): Promise<void> {
    const { db, log, workerId } = this.#options;
    const exit = await runner.exited;
    if (this.#shared === runner) this.#shared = undefined;
    const left = [...this.#visits].filter((visit) => visit.runner === runner);
    if (left.length === 0) return;
    const actor = `supervisor:${workerId}`;
    log.warn(
      { jobs: left.length, code: exit.code, detail: exit.detail },
      'A runner of visits died; they are tried again',
    );
    try {
      // A visit has one URL, so that the job's own id names it.
      if (exit.started) for (const { job } of left) await markSuspects(db, job, [job.id]);
      if (left.length === 1 && exit.started) {
        const error = new HoldfastError(exit.code, exit.detail);
        await crashJobs(
          db,
          left.map(({ job }) => ({ ...job, error })),
          actor,
        );
      } else {
        const reason = `the runner it shared ended: ${exit.detail}`;
        await releaseJobs(
          db,
          left.map(({ job }) => ({ ...job, reason })),
          actor,
        );
      }
    } catch (error) {
      log.warn(
        { err: error },
        'The end of a runner could not be recorded; its jobs are recovered when their leases run out',
      );
    }
    for (const visit of left) this.#visits.delete(visit);
    this.#options.onEnded(true);
  }
}

/** A quarter of the lease without a sign of life counts as hanging. */
function hangMs(job: ClaimedJob): number {
  return (job.lease_seconds * 1000) / 4;
}
