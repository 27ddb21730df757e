import { type Configuration, type ErrorCode, HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { valueDueIntakes } from '../collect/value-due-intakes.ts';
import type { Database } from '../database/open-database.ts';
import { startScheduler } from '../policies/start-scheduler.ts';
import type { ClaimedJob } from '../queue/claim-jobs.ts';
import { ClaimLoop } from '../queue/claim-loop.ts';
import { crashJobs } from '../queue/crash-jobs.ts';
import type { WriteOutcome } from '../queue/held-job.ts';
import { builtinLane } from '../queue/lane.ts';
import { Listener } from '../queue/listener.ts';
import { Notifier } from '../queue/notifier.ts';
import { releaseJobs } from '../queue/release-jobs.ts';
import { type Renewal, renewLeases } from '../queue/renew-leases.ts';
import { type RegularTask, runRegularly } from '../queue/run-regularly.ts';
import { sweepLeases } from '../queue/sweep-leases.ts';
import { tell } from '../telemetry/signals.ts';
import { Deliverer } from '../webhooks/deliverer.ts';
import { forbiddenOrigins } from './forbidden-origins.ts';
import { markSuspects } from './mark-suspects.ts';
import { prune } from './prune.ts';
import { recoverDeadWorkers } from './recover-dead-workers.ts';
import { registerWorker, reportWorker, unregisterWorkers } from './register-worker.ts';
import { RunnerPool } from './runner-pool.ts';
import { RunnerProcess } from './runner-process.ts';
import { SpareRunner } from './spare-runner.ts';
import { untilAnswered } from './until-answered.ts';
import { whatBecame } from './what-became.ts';
import { isHung, whyEnd } from './why-end.ts';

export interface SupervisorOptions {
  readonly configuration: Configuration;
  readonly database: Database;
  readonly log: Logger;
  readonly workerId: string;
  /** The bundled runner. */
  readonly runnerProgram: string;
  /** Claims this job alone (one-shot commands). */
  readonly onlyJob?: string;
}

interface Run {
  readonly job: ClaimedJob;
  readonly runner: RunnerProcess;
  readonly deadline: number | null;
  /** By our monotonic clock, counted from before the question was sent: never later than the database's. */
  leaseEnds: number;
}

/** Why a job is given back whose runner had not even started. */
const dismissals = {
  pause: 'paused before it began',
  cancel: 'cancelled before it began',
  drain: 'the supervisor is stopping',
  lost: 'the lease is lost',
} as const;

const pruneEverySeconds = 3600;
const watchMs = 250;
const heldUpMs = 4 * watchMs;
/** A machine that has no room for a process may have it in a while. */
const noRunnerSeconds = 10;
/** Every claim names them; when there are more, the rest come back now and then. */
const mostNotOurs = 1_000;
const notOursSeconds = 60;

/** Claims jobs, gives each a runner process, keeps their leases while the runners work, and cleans up after their deaths. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  /** Not by job: a job that was taken from us and claimed again has two, until the old runner has ended. */
  readonly #runs = new Set<Run>();
  /** Crawls of private addresses that this worker may not reach: tried once, then left to the one that may. */
  readonly #notOurs = new Set<string>();
  /** What is left to do for runs whose process has ended. */
  readonly #endings = new Set<Promise<void>>();
  readonly #listener: Listener;
  readonly #notifier: Notifier;
  readonly #loop: ClaimLoop;
  readonly #pool: RunnerPool;
  readonly #poolLoop: ClaimLoop;
  readonly #tasks: RegularTask[] = [];
  readonly #spare: SpareRunner;
  readonly #deliverer: Deliverer;
  #draining = false;
  #isRegistered = false;
  #renewing: Promise<void> = Promise.resolve();
  #watchedAt = performance.now();
  #unsubscribe: (() => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { configuration, database, log, workerId, onlyJob } = options;
    this.#listener = new Listener(database, log);
    this.#notifier = new Notifier(database.pool);
    this.#loop = new ClaimLoop({
      db: database.pool,
      log,
      workerId,
      lanes: [builtinLane('crawl', configuration)],
      pollMs: configuration.pollSeconds * 1000,
      listener: this.#listener,
      capacity: () => (this.#draining ? 0 : configuration.maxConcurrentJobs - this.#runs.size),
      except: () => [...this.#notOurs],
      onJobs: (jobs, asked) => {
        for (const job of jobs) this.#take(job, asked);
      },
      ...(onlyJob && { onlyJob }),
    });
    this.#spare = new SpareRunner(() => this.#spawn());
    this.#deliverer = new Deliverer({ db: database.pool, log, configuration });
    this.#pool = new RunnerPool({
      db: database.pool,
      log,
      workerId,
      memoryMb: configuration.runnerMemoryMb,
      spawn: (onPooledEnd) => this.#spawn(onPooledEnd),
      onEnded: (requeued) => {
        if (requeued) this.#poolLoop.requeued();
        else this.#poolLoop.wake();
      },
    });
    this.#poolLoop = new ClaimLoop({
      db: database.pool,
      log,
      workerId,
      lanes: [builtinLane('visit', configuration), builtinLane('collect', configuration)],
      pollMs: configuration.pollSeconds * 1000,
      listener: this.#listener,
      capacity: () => (this.#draining ? 0 : configuration.maxConcurrentVisits - this.#pool.size),
      onJobs: (jobs, asked) => void this.#pool.add(jobs, asked),
    });
  }

  get runningJobs(): number {
    return this.#runs.size + this.#pool.size;
  }

  async start(): Promise<void> {
    const { configuration, database, log, workerId, onlyJob } = this.#options;
    const { pool } = database;
    // First: under a fixed name, the row of a dead worker is about to be replaced by ours.
    await recoverDeadWorkers(pool, log, workerId);
    const { maxConcurrentJobs, maxConcurrentVisits } = configuration;
    // A one-shot command takes nothing from anybody: whoever asks who is there to work must not count on it.
    await registerWorker(pool, workerId, onlyJob ? 0 : maxConcurrentJobs + maxConcurrentVisits);
    this.#isRegistered = true;
    await this.#listener.start();
    this.#unsubscribe = this.#listener.on('request', () => void this.#renew());
    this.#tasks.push(
      runRegularly('Renewing leases', configuration.heartbeatSeconds, log, () => this.#renew()),
      runRegularly('Watching runners', watchMs / 1000, log, async () => this.#watch()),
      runRegularly('The watchdog', configuration.watchdogSeconds, log, async () => {
        if ((await sweepLeases(pool, log, workerId)).length === 0) return;
        this.#loop.requeued();
        this.#poolLoop.requeued();
      }),
    );
    if (!onlyJob) {
      this.#deliverer.start();
      this.#tasks.push(
        runRegularly('Pruning', pruneEverySeconds, log, (signal) =>
          prune(pool, configuration.retentionDays, { signal }),
        ),
        runRegularly('Valuing intakes', configuration.schedulerSeconds, log, (signal) =>
          valueDueIntakes(pool, signal),
        ),
        startScheduler({
          db: pool,
          log,
          workerId,
          everySeconds: configuration.schedulerSeconds,
          listener: this.#listener,
          onJobs: () => {
            this.#loop.wake();
            this.#poolLoop.wake();
            return this.#notifier.notify('work');
          },
        }),
      );
    }
    this.#keepSpare();
    this.#loop.start();
    // A one-shot command does its own job and nothing else.
    if (!onlyJob) this.#poolLoop.start();
  }

  /** Lets the runners checkpoint and hand their jobs back; no retry is burned. */
  async drain(): Promise<void> {
    this.#draining = true;
    await Promise.all([this.#loop.stop(), this.#poolLoop.stop()]);
    this.#spare.kill('not needed any more');
    for (const { runner } of this.#runs) runner.stop('drain');
    await Promise.all([...[...this.#runs].map(({ runner }) => runner.exited), this.#pool.drain()]);
    await Promise.all([...this.#endings]);
    await Promise.all([...this.#tasks.map((task) => task.stop()), this.#deliverer.stop()]);
    this.#unsubscribe?.();
    await this.#listener.stop();
    if (!this.#isRegistered) return;
    await unregisterWorkers(this.#options.database.pool, [this.#options.workerId]).catch(() => {});
  }

  /** Ends every runner at once; their jobs are recovered as after a crash. */
  kill(): void {
    this.#spare.kill('the supervisor was ended');
    for (const { runner } of this.#runs) runner.kill('runner_crashed', 'the supervisor was ended');
    this.#pool.kill();
  }

  #keepSpare(): void {
    if (!this.#draining) this.#spare.keep();
  }

  #spawn(onPooledEnd?: (id: string, fence: number) => void): RunnerProcess {
    const { configuration, database, log, runnerProgram, workerId } = this.#options;
    return new RunnerProcess({
      program: runnerProgram,
      log,
      memoryMb: configuration.runnerMemoryMb,
      databaseUrl: database.url,
      env: { ...process.env, WORKER_ID: workerId },
      ...(onPooledEnd && { onPooledEnd }),
    });
  }

  #take(job: ClaimedJob, asked: number): void {
    const forbidden = forbiddenOrigins(job.payload, this.#options.configuration.allowPrivate);
    if (forbidden.length === 0) {
      this.#start(job, asked);
      return;
    }
    const leaseEnds = asked + job.lease_seconds * 1000;
    const ending = this.#handBack(job, forbidden, leaseEnds).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  async #handBack(job: ClaimedJob, forbidden: readonly string[], leaseEnds: number): Promise<void> {
    const { database, log, workerId } = this.#options;
    // A one-shot command claims by id, whatever it has learnt; its job waits for the worker that may.
    const isKnown = !this.#options.onlyJob && this.#notOurs.size < mostNotOurs;
    if (isKnown) this.#notOurs.add(job.id);
    const reason = `this worker may not fetch ${forbidden.join(', ')} (HOLDFAST_ALLOW_PRIVATE)`;
    log.warn({ job: job.id }, `Handed back: ${reason}`);
    const release = { ...job, reason, ...(!isKnown && { notBeforeSeconds: notOursSeconds }) };
    await this.#untilAnswered({ job, leaseEnds }, async () => {
      await releaseJobs(database.pool, [release], `supervisor:${workerId}`);
    });
    await this.#notifier.notify('work');
  }

  #start(job: ClaimedJob, asked: number): void {
    const { configuration, log } = this.#options;
    const leaseEnds = asked + job.lease_seconds * 1000;
    const runner = this.#spare.take(this.#options.database.url) ?? this.#spawn();
    const deadline = job.timeout_seconds === null ? null : performance.now() + job.timeout_seconds * 1000;
    const run: Run = { job, runner, deadline, leaseEnds };
    this.#runs.add(run);
    log.info({ job: job.id, fence: job.fence, runner: runner.pid }, 'Running job');
    runner.run(job, leaseEnds - performance.now());
    const ending = this.#finish(run).finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
    if (this.#runs.size < configuration.maxConcurrentJobs) this.#keepSpare();
  }

  /** Waits for a run's process to end; a job that was not handed over goes to retry at once. */
  async #finish(run: Run): Promise<void> {
    const { job, runner } = run;
    const { log, database, workerId } = this.#options;
    const exit = await runner.exited;
    if (!exit.started) {
      log.error({ job: job.id, detail: exit.detail }, 'No runner could be started; its job is handed back');
      const release = { ...job, reason: `the runner ${exit.detail}`, notBeforeSeconds: noRunnerSeconds };
      await this.#untilAnswered(run, async () => {
        await releaseJobs(database.pool, [release], `supervisor:${workerId}`);
      });
    } else if (exit.dismissed && !exit.handedOver) {
      const release = { ...job, reason: dismissals[exit.dismissed] };
      await this.#untilAnswered(run, async () => {
        await releaseJobs(database.pool, [release], `supervisor:${workerId}`);
      });
    } else if (!exit.handedOver) {
      tell('runnerDeath', { code: exit.code });
      const error = new HoldfastError(exit.code, exit.detail);
      // When the database does not answer, the watchdog decides.
      let outcome: WriteOutcome | undefined;
      await this.#untilAnswered(run, async () => {
        if (isOwnDeath(exit.code)) await markSuspects(database.pool, job, runner.inFlight);
        outcome = (await crashJobs(database.pool, [{ ...job, error }], `supervisor:${workerId}`)).get(job);
      });
      const died = exit.code === 'lease_lost' ? 'A runner was ended' : 'A runner died';
      log.warn({ job: job.id, code: exit.code, detail: exit.detail }, `${died}; ${whatBecame(outcome)}`);
    }
    this.#runs.delete(run);
    this.#loop.requeued();
    this.#keepSpare();
    await this.#notifier.notify('work');
  }

  #untilAnswered(
    { job, leaseEnds }: Pick<Run, 'job' | 'leaseEnds'>,
    write: () => Promise<void>,
  ): Promise<void> {
    return untilAnswered(write, leaseEnds, this.#options.log.child({ job: job.id }));
  }

  #renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewOnce());
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { database, log, workerId } = this.#options;
    const ticking = [...this.#runs].filter(({ job, runner }) => !isHung(runner, job));
    const asked = performance.now();
    try {
      const pooled = this.#pool.ticking;
      const renewals = await renewLeases(database.pool, [...ticking.map(({ job }) => job), ...pooled]);
      for (const run of ticking) this.#heed(run, renewals.get(run.job), asked);
      for (const job of pooled) this.#pool.heed(job, renewals.get(job), asked);
      await reportWorker(database.pool, workerId, this.runningJobs, this.#draining);
    } catch (error) {
      log.warn({ err: error }, 'Leases could not be renewed; their runners go on until they end');
    }
  }

  #heed(run: Run, renewal: Renewal | undefined, asked: number): void {
    const { job, runner } = run;
    if (renewal === 'lost') {
      this.#options.log.warn({ job: job.id, fence: job.fence }, 'The lease is lost; the runner is ended');
      runner.kill('lease_lost', 'another holder has the job, or an operator took it back');
      return;
    }
    if (renewal === 'busy' || renewal === undefined) return;
    run.leaseEnds = asked + job.lease_seconds * 1000;
    runner.renewed(run.leaseEnds - performance.now());
    if (renewal !== 'continue') runner.stop(renewal);
  }

  /** Ends runners that hang, outgrow their memory, exceed their time, or whose lease ran out while the database was away. */
  #watch(): void {
    const { runnerMemoryMb } = this.#options.configuration;
    const now = performance.now();
    // Were we held up ourselves, what the runners said meanwhile is not read yet: they are judged next time.
    const mayJudge = now - this.#watchedAt < heldUpMs;
    this.#watchedAt = now;
    this.#pool.watch(mayJudge);
    for (const { job, runner, deadline, leaseEnds } of this.#runs) {
      const why = mayJudge ? whyEnd(runner, job, runnerMemoryMb) : undefined;
      if (why) runner.kill(why.code, why.detail);
      else if (deadline !== null && now > deadline)
        runner.kill('run_timed_out', `after ${job.timeout_seconds} s`);
      else if (now > leaseEnds) runner.kill('lease_lost', 'the lease could not be renewed in time');
      // Nothing new, but a sign of life, also while the database is away: a runner that hears nothing gives its job back.
      else runner.renewed(leaseEnds - now);
    }
  }
}

/** The runner may have died of a page; not when its time was up, its lease lost, or its supervisor ended it. */
function isOwnDeath(code: ErrorCode): boolean {
  return code === 'runner_crashed' || code === 'runner_hung' || code === 'runner_out_of_memory';
}
