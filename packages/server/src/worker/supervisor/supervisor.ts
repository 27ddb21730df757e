import type { Configuration, JobKind } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Database } from '../../base/database/open-database.ts';
import { Pipeline } from '../../base/database/pipeline.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import { logsJson } from '../../base/telemetry/logger.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { ClaimLoop } from '../../queue/jobs/claim-loop.ts';
import { isSameLease } from '../../queue/jobs/held-job.ts';
import { builtinLane } from '../../queue/jobs/lane.ts';
import { Listener, Notifier } from '../../queue/jobs/notifications.ts';
import { sweepLeases } from '../../queue/jobs/recover-jobs.ts';
import { renewLeases } from '../../queue/jobs/renew-leases.ts';
import { asInSettings } from '../../queue/jobs/waiting-jobs.ts';
import { startScheduler } from '../../queue/policies/scheduler.ts';
import { Deliverer } from '../../queue/webhooks/deliverer.ts';
import { valueDueIntakes } from '../../shop/valuations/value-intake.ts';
import { forbiddenOrigins } from './forbidden-origins.ts';
import { type Holder, handBack } from './hand-back.ts';
import { JobRun } from './job-run.ts';
import { prune } from './prune.ts';
import { recoverDeadWorkers, takeOver } from './recover-dead-workers.ts';
import { type Registration, registerWorker, reportWorker, unregisterWorkers } from './register-worker.ts';
import { RunnerPool } from './runner-pool.ts';
import { RunnerProcess } from './runner-process.ts';
import { settleExit } from './settle-exit.ts';
import { SilentWorkers } from './silent-workers.ts';
import { SpareRunner } from './spare-runner.ts';
import { WorkerHealth } from './worker-health.ts';

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

const pruneEverySeconds = 3600;
const watchMs = 250;
const heldUpMs = 4 * watchMs;

/** Claims jobs, gives each a runner process, keeps their leases while the runners work, and cleans up after their deaths. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  /** Not by job: a job that was taken from us and claimed again has two, until the old runner has ended. */
  readonly #runs = new Set<JobRun>();
  /** What is left to do for runs whose process has ended. */
  readonly #endings = new Set<Promise<void>>();
  readonly #listener: Listener;
  readonly #notifier: Notifier;
  readonly #loop: ClaimLoop;
  readonly #pool: RunnerPool;
  readonly #poolLoop: ClaimLoop;
  readonly #tasks: PeriodicTask[] = [];
  readonly #spare: SpareRunner;
  readonly #deliverer: Deliverer;
  readonly #health: WorkerHealth;
  #draining = false;
  #isRegistered = false;
  #renewing: Promise<void> = Promise.resolve();
  #watchedAt = performance.now();
  #unsubscribe: (() => void) | undefined;
  #silent: SilentWorkers | undefined;
  #isNamesake = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { configuration, database, log, workerId, onlyJob } = options;
    this.#listener = new Listener(database, log);
    this.#health = new WorkerHealth({ log, onChange: () => this.#healthChanged() });
    this.#notifier = new Notifier(database.pool);
    this.#loop = new ClaimLoop({
      db: new Pipeline(database.pool),
      log,
      workerId,
      lanes: [builtinLane('crawl', configuration)],
      pollMs: configuration.pollSeconds * 1000,
      listener: this.#listener,
      capacity: () => this.#room(configuration.maxConcurrentJobs - this.#runs.size),
      allowPrivate: configuration.allowPrivate,
      holds: (lease) => [...this.#runs].some(({ job }) => isSameLease(job, lease)),
      onJobs: (jobs, asked) => {
        for (const job of jobs) this.#take(job, asked);
      },
      ...(onlyJob && { onlyJob }),
    });
    this.#spare = new SpareRunner(() => this.#spawn());
    this.#deliverer = new Deliverer({ db: database.pool, log, configuration });
    this.#pool = new RunnerPool({
      ...this.#holder,
      memoryMb: configuration.runnerMemoryMb,
      spawn: (onPooledEnd) => this.#spawn(onPooledEnd),
      onEnded: (requeued) => {
        if (requeued) this.#poolLoop.requeued();
        else this.#poolLoop.wake();
      },
    });
    this.#poolLoop = new ClaimLoop({
      db: new Pipeline(database.pool),
      log,
      workerId,
      lanes: [builtinLane('visit', configuration), builtinLane('collect', configuration)],
      pollMs: configuration.pollSeconds * 1000,
      listener: this.#listener,
      capacity: () => this.#room(configuration.maxConcurrentVisits - this.#pool.size, this.#pool.isProven),
      holds: (job) => this.#pool.holds(job),
      onJobs: (jobs, asked) => void this.#pool.add(jobs, asked),
    });
  }

  get #registration(): Registration {
    const { configuration, workerId: id, onlyJob } = this.#options;
    const { maxConcurrentJobs, maxConcurrentVisits, allowPrivate, heartbeatSeconds } = configuration;
    // A one-shot command takes nothing from anybody: whoever asks who is there to work must not count on it.
    const [crawls, visits] = onlyJob ? [0, 0] : [maxConcurrentJobs, maxConcurrentVisits];
    const kinds: JobKind[] = [];
    if (crawls > 0) kinds.push('crawl');
    if (visits > 0) kinds.push('visit', 'collect');
    return { id, maxJobs: crawls + visits, maxCrawls: crawls, kinds, allowPrivate, heartbeatSeconds };
  }

  get #holder(): Holder {
    const { configuration, database, log, workerId } = this.#options;
    const { heartbeatSeconds } = configuration;
    const wasWell = (startedAt: number) => this.#health.wasWell(startedAt);
    return { db: database.pool, log, workerId, heartbeatSeconds, wasWell };
  }

  get runningJobs(): number {
    return this.#runs.size + this.#pool.size;
  }

  async start(): Promise<void> {
    const { configuration, database, log, workerId, onlyJob } = this.#options;
    const { pool } = database;
    // First: under a fixed name, the row of a dead worker is about to be replaced by ours.
    const silent = await recoverDeadWorkers(pool, log, workerId);
    await registerWorker(pool, this.#registration, (dead) => takeOver(pool, log, workerId, dead));
    this.#isRegistered = true;
    this.#silent = new SilentWorkers(this.#holder, silent);
    await this.#listener.start();
    this.#unsubscribe = this.#listener.on('request', () => void this.#renew());
    this.#tasks.push(
      runPeriodically('Renewing leases', configuration.heartbeatSeconds, log, () => this.#renew()),
      runPeriodically('Watching runners', watchMs / 1000, log, async () => this.#watch()),
      runPeriodically('The watchdog', configuration.watchdogSeconds, log, async () => {
        if ((await sweepLeases(pool, log, workerId)).length === 0) return;
        this.#loop.requeued();
        this.#poolLoop.requeued();
      }),
    );
    if (!onlyJob) {
      this.#deliverer.start();
      this.#tasks.push(
        runPeriodically('Pruning', pruneEverySeconds, log, (signal) =>
          prune(pool, configuration.retentionDays, { signal }),
        ),
        runPeriodically('Valuing intakes', configuration.schedulerSeconds, log, (signal) =>
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
    this.#health.close();
    await Promise.all([this.#loop.stop(), this.#poolLoop.stop()]);
    this.#spare.kill('not needed any more');
    for (const { runner } of this.#runs) runner.stop('drain');
    await Promise.all([...[...this.#runs].map(({ runner }) => runner.exited), this.#pool.drain()]);
    await Promise.all([...this.#endings]);
    await Promise.all([...this.#tasks.map((task) => task.stop()), this.#deliverer.stop()]);
    this.#unsubscribe?.();
    // A heartbeat that is under way would enter us again.
    await this.#renewing;
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

  /** None while this machine lets no runner work: it would die as well. */
  #keepSpare(): void {
    if (!this.#draining && this.#health.isWell) this.#spare.keep();
  }

  /** How many of the jobs that there is room for may be claimed. `isProven`: they need no new process. */
  #room(free: number, isProven = false): number {
    if (this.#draining) return 0;
    if (isProven) return free;
    const starting = [...this.#runs].filter(({ runner }) => !runner.hasAsked).length;
    return this.#health.allows(free, starting + this.#pool.unproven);
  }

  #healthChanged(): void {
    if (this.#draining) return;
    if (this.#runs.size < this.#options.configuration.maxConcurrentJobs) this.#keepSpare();
    this.#loop.requeued();
    this.#poolLoop.requeued();
    if (this.#isRegistered) void this.#renew();
  }

  #spawn(onPooledEnd?: (id: string, fence: number) => void): RunnerProcess {
    const { configuration, database, log, runnerProgram, workerId } = this.#options;
    const runner = new RunnerProcess({
      program: runnerProgram,
      log,
      memoryMb: configuration.runnerMemoryMb,
      databaseUrl: database.url,
      // Whoever reads the log of this process reads that of its runners in it.
      env: {
        ...process.env,
        WORKER_ID: workerId,
        HOLDFAST_LOG_FORMAT: logsJson(configuration) ? 'json' : 'text',
      },
      onAsking: () => this.#health.startWorked(),
      ...(onPooledEnd && { onPooledEnd }),
    });
    // Before anybody else hears of its end, and claims the next job.
    void runner.exited.then(({ startFailed, why }) => {
      if (startFailed && !this.#draining) this.#health.startFailed(runner.startedAt, why);
    });
    return runner;
  }

  #take(job: ClaimedJob, asked: number): void {
    const forbidden = forbiddenOrigins(job.payload, this.#options.configuration.allowPrivate);
    if (forbidden.length > 0) this.#remember(this.#refuse(job, forbidden, asked));
    else this.#start(job, asked);
  }

  /** Remembers what is left to do, so that nobody stops before it is done. */
  #remember(ending: Promise<void>): void {
    const ended = ending.finally(() => this.#endings.delete(ended));
    this.#endings.add(ended);
  }

  async #refuse(job: ClaimedJob, forbidden: readonly string[], asked: number): Promise<void> {
    const reason = `this worker may not fetch ${forbidden.join(', ')} (HOLDFAST_ALLOW_PRIVATE)`;
    this.#options.log.warn({ job: job.id }, `Handed back: ${reason}`);
    const leaseEnds = asked + job.lease_seconds * 1000;
    // It is not claimed again by anybody who may not fetch them.
    const waitsFor = forbidden.map(asInSettings);
    await handBack({ job, leaseEnds }, { reason, waitsFor }, this.#holder);
    await this.#notifier.notify('work');
  }

  #start(job: ClaimedJob, asked: number): void {
    const { configuration, database, log } = this.#options;
    const runner = this.#spare.take(database.url) ?? this.#spawn();
    const run = new JobRun(job, runner, asked);
    this.#runs.add(run);
    log.info({ job: job.id, fence: job.fence, runner: runner.pid }, 'Running job');
    run.begin();
    this.#remember(this.#finish(run));
    if (this.#runs.size < configuration.maxConcurrentJobs) this.#keepSpare();
  }

  async #finish(run: JobRun): Promise<void> {
    await settleExit(run, this.#holder);
    this.#runs.delete(run);
    this.#loop.requeued();
    // A one-shot command is through with its last runner, as a rule.
    if (!this.#options.onlyJob) this.#keepSpare();
    await this.#notifier.notify('work');
  }

  #renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewOnce());
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { database, log } = this.#options;
    const ticking = [...this.#runs].filter(({ isTicking }) => isTicking);
    const asked = performance.now();
    try {
      const pooled = this.#pool.ticking;
      const renewals = await renewLeases(database.pool, [...ticking.map(({ job }) => job), ...pooled]);
      for (const run of ticking) run.heed(renewals.get(run.job), asked, log);
      for (const job of pooled) this.#pool.heed(job, renewals.get(job), asked);
      await this.#report();
    } catch (error) {
      this.#silent?.missed();
      log.warn({ err: error }, 'Leases could not be renewed; their runners go on until they end');
      return;
    }
    await this.#judgeSilent();
  }

  async #judgeSilent(): Promise<void> {
    try {
      if (await this.#silent?.beat()) this.#loop.requeued();
    } catch (error) {
      const { log } = this.#options;
      log.warn({ err: error }, 'Silent workers could not be taken over from; the next heartbeat tries again');
    }
  }

  async #report(): Promise<void> {
    const { database, log, workerId } = this.#options;
    const beat = { runningJobs: this.runningJobs, draining: this.#draining, trouble: this.#health.trouble };
    const isOurs = await reportWorker(database.pool, this.#registration, beat);
    if (!isOurs && !this.#isNamesake)
      log.error(`Another worker is called ${workerId} by now; give each its own WORKER_ID, or none`);
    this.#isNamesake = !isOurs;
  }

  #watch(): void {
    const now = performance.now();
    // Were we held up ourselves, what the runners said meanwhile is not read yet: they are judged next time.
    const mayJudge = now - this.#watchedAt < heldUpMs;
    this.#watchedAt = now;
    this.#pool.watch(mayJudge);
    for (const run of this.#runs) run.watch(mayJudge, this.#options.configuration.runnerMemoryMb);
  }
}
