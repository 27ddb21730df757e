import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Queryable, run as query, statement } from '../database/statement.ts';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import { crashJobs } from '../queue/crash-jobs.ts';
import { releaseJobs } from '../queue/release-jobs.ts';
import type { Renewal } from '../queue/renew-leases.ts';
import { tell } from '../telemetry/signals.ts';
import { markSuspects } from './mark-suspects.ts';
import type { RunnerProcess } from './runner-process.ts';
import { whatBecame } from './what-became.ts';
import { isHung, whyEnd } from './why-end.ts';

interface PooledRun {
  readonly job: ClaimedJob;
  readonly runner: RunnerProcess;
  /** By our monotonic clock, never later than the database's. */
  leaseEnds: number;
}

export interface RunnerPoolOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly memoryMb: number;
  readonly spawn: (onPooledEnd: (id: string, fence: number) => void) => RunnerProcess;
  /** A run has ended, and there is room for another; its job may be back in the queue. */
  readonly onEnded: (requeued: boolean) => void;
}

const suspectsStatement = statement<{ job_id: string }>(
  'suspect-pooled-jobs',
  'SELECT DISTINCT job_id FROM crawl_suspects WHERE job_id = ANY ($1::uuid[])',
);

/**
 * Visits and collections share one process, many at a time. When it dies, nobody knows which of them it died of: each next
 * runs alone, and only one that dies alone burns a retry.
 */
export class RunnerPool {
  readonly #options: RunnerPoolOptions;
  readonly #runs = new Set<PooledRun>();
  readonly #endings = new Set<Promise<void>>();
  #shared: RunnerProcess | undefined;

  constructor(options: RunnerPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** The jobs whose leases are to be renewed: those of processes that show signs of life. */
  get ticking(): ClaimedJob[] {
    return [...this.#runs].filter(({ job, runner }) => !isHung(runner, job)).map(({ job }) => job);
  }

  async add(jobs: readonly ClaimedJob[], asked: number): Promise<void> {
    const runs = jobs.map((job) => ({ job, leaseEnds: asked + job.lease_seconds * 1000 }));
    // Counted at once, so that no more are claimed than there is room for.
    const placeholders = runs.map(({ job, leaseEnds }) => this.#enter(job, leaseEnds, this.#process()));
    const suspects = await this.#suspects(jobs);
    for (const run of placeholders) {
      if (!suspects.has(run.job.id)) run.runner.runPooled(run.job, run.leaseEnds - performance.now());
      else {
        this.#runs.delete(run);
        const alone = this.#enter(run.job, run.leaseEnds, this.#spawn());
        alone.runner.runPooled(alone.job, alone.leaseEnds - performance.now());
      }
    }
  }

  heed(job: ClaimedJob, renewal: Renewal | undefined, asked: number): void {
    const run = [...this.#runs].find((one) => one.job === job);
    if (!run || renewal === 'busy' || renewal === undefined) return;
    if (renewal === 'lost') {
      run.runner.stopPooled(job, 'lost');
      return;
    }
    run.leaseEnds = asked + job.lease_seconds * 1000;
    run.runner.renewedPooled(job, run.leaseEnds - performance.now());
    if (renewal !== 'continue') run.runner.stopPooled(job, renewal);
  }

  /** Ends processes that hang or outgrow their memory, and runs whose lease could not be renewed. */
  watch(mayJudge: boolean): void {
    const { memoryMb } = this.#options;
    const now = performance.now();
    for (const { job, runner, leaseEnds } of this.#runs) {
      const why = mayJudge ? whyEnd(runner, job, memoryMb) : undefined;
      if (why) runner.kill(why.code, why.detail);
      else if (now > leaseEnds) runner.stopPooled(job, 'lost');
    }
  }

  /** Lets the runs hand their jobs back; no retry is burned. */
  async drain(): Promise<void> {
    const runners = new Set([...this.#runs].map(({ runner }) => runner));
    if (this.#shared) runners.add(this.#shared);
    for (const runner of runners) runner.stop('drain');
    await Promise.all([...runners].map(({ exited }) => exited));
    await Promise.all(this.#endings);
  }

  kill(): void {
    this.#shared?.kill('runner_crashed', 'the supervisor was ended');
    for (const { runner } of this.#runs) runner.kill('runner_crashed', 'the supervisor was ended');
  }

  #enter(job: ClaimedJob, leaseEnds: number, runner: RunnerProcess): PooledRun {
    const run = { job, runner, leaseEnds };
    this.#runs.add(run);
    return run;
  }

  async #suspects(jobs: readonly ClaimedJob[]): Promise<Set<string>> {
    try {
      const rows = await query(this.#options.db, suspectsStatement, [jobs.map(({ id }) => id)]);
      return new Set(rows.map(({ job_id }) => job_id));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Suspect jobs could not be looked up; none is run apart');
      return new Set();
    }
  }

  #process(): RunnerProcess {
    this.#shared ??= this.#spawn();
    return this.#shared;
  }

  #spawn(): RunnerProcess {
    const { log } = this.#options;
    const runner = this.#options.spawn((id, fence) => this.#ended(runner, id, fence));
    const ending = this.#bury(runner).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    log.info({ runner: runner.pid }, 'Started a pooled runner');
    return runner;
  }

  #ended(runner: RunnerProcess, id: string, fence: number): void {
    for (const run of this.#runs) {
      if (run.runner !== runner || run.job.id !== id || run.job.fence !== fence) continue;
      this.#runs.delete(run);
      // A process that was started for one job has done its work.
      if (runner !== this.#shared) runner.stop('drain');
      this.#options.onEnded(false);
    }
  }

  /** Sees to the jobs that a process left behind when it ended. */
  async #bury(runner: RunnerProcess): Promise<void> {
    const { db, log, workerId } = this.#options;
    const exit = await runner.exited;
    if (this.#shared === runner) this.#shared = undefined;
    const left = [...this.#runs].filter((run) => run.runner === runner);
    if (left.length === 0) return;
    tell('runnerDeath', { code: exit.code });
    const actor = `supervisor:${workerId}`;
    const death = { jobs: left.length, code: exit.code, detail: exit.detail };
    try {
      // What it was at is the job itself, so that its own id names it.
      if (exit.started) for (const { job } of left) await markSuspects(db, job, [job.id]);
      const [only] = left;
      if (only && left.length === 1 && exit.started) {
        const error = new HoldfastError(exit.code, exit.detail);
        const answers = await crashJobs(db, [{ ...only.job, error }], actor);
        log.warn(
          { ...death, job: only.job.id },
          `A pooled runner died; ${whatBecame(answers.get(only.job))}`,
        );
      } else {
        const reason = `the runner it shared ended: ${exit.detail}`;
        await releaseJobs(
          db,
          left.map(({ job }) => ({ ...job, reason })),
          actor,
        );
        log.warn(death, 'A pooled runner died; its jobs are handed back, and each next runs alone');
      }
    } catch (error) {
      log.warn(
        { ...death, err: error },
        'The end of a runner could not be recorded; its jobs are recovered when their leases run out',
      );
    }
    for (const run of left) this.#runs.delete(run);
    this.#options.onEnded(true);
  }
}
