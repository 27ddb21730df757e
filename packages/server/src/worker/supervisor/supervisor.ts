import { type Configuration, type JobKind, settings } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Database } from '../../base/database/open-database.ts';
import { Pipeline } from '../../base/database/pipeline.ts';
import { type PeriodicTask, runPeriodically } from '../../base/process/periodic-task.ts';
import { logsJson } from '../../base/telemetry/logger.ts';
import { BrowserHost } from '../../browser/browser-host.ts';
import { browserReadiness } from '../../browser/browser-readiness.ts';
import { browserSocketVariable } from '../../browser/render-messages.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { ClaimLoop } from '../../queue/jobs/claim-loop.ts';
import { type HeldJob, isSameLease } from '../../queue/jobs/held-job.ts';
import { builtinLane } from '../../queue/jobs/lane.ts';
import { Listener, Notifier } from '../../queue/jobs/notifications.ts';
import { sweepLeases } from '../../queue/jobs/recover-jobs.ts';
import { renewLeases } from '../../queue/jobs/renew-leases.ts';
import { asInSettings } from '../../queue/jobs/waiting-jobs.ts';
import { startScheduler } from '../../queue/policies/scheduler.ts';
import { renewShards } from '../../queue/shards/renew-shards.ts';
import { Deliverer } from '../../queue/webhooks/deliverer.ts';
import { valueDueIntakes } from '../../shop/valuations/value-intake.ts';
import { CrawlSharing, sharesWork } from './crawl-sharing.ts';
import { Dispatch } from './dispatch.ts';
import { forbiddenOrigins, type Holder, handBack } from './hand-back.ts';
import { prune } from './prune.ts';
import type { Registration } from './register-worker.ts';
import { RunnerPool } from './runner-pool.ts';
import { RunnerProcess } from './runner-process.ts';
import { settleExit } from './settle-exit.ts';
import { SpareRunner } from './spare-runner.ts';
import { WorkerHealth } from './worker-health.ts';
import { WorkerPresence } from './worker-presence.ts';

export interface SupervisorOptions {
  readonly configuration: Configuration;
  readonly database: Database;
  readonly log: Logger;
  readonly workerId: string;
  /** The bundled runner. */
  readonly runnerProgram: string;
  /** The bundled browser host; without it no page is rendered. */
  readonly browserHostProgram?: string;
  /** Claims only this job (one-shot commands). */
  readonly onlyJob?: string;
}

const pruneEverySeconds = 3600;
const watchMs = 250;
const heldUpMs = 4 * watchMs;

/**
 * A worker process: claims jobs, dispatches each crawl to a runner of its own and the short jobs to a shared pool, renews their leases
 * while the runners work, and settles their deaths. It also runs the watchdog, the scheduler, deliveries and pruning.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  /** Crawls. A set, because a job that was lost and claimed again has two until the old runner has ended. */
  readonly #dispatches = new Set<Dispatch>();
  /** What remains to be done for jobs that are settled or refused. */
  readonly #endings = new Set<Promise<void>>();
  readonly #listener: Listener;
  readonly #notifier: Notifier;
  readonly #loop: ClaimLoop;
  readonly #pool: RunnerPool;
  readonly #poolLoop: ClaimLoop;
  readonly #tasks: PeriodicTask[] = [];
  readonly #spare: SpareRunner;
  readonly #browserHost: BrowserHost | undefined;
  readonly #deliverer: Deliverer;
  readonly #health: WorkerHealth;
  readonly #presence: WorkerPresence;
  readonly #sharing: CrawlSharing;
  #draining = false;
  #renewing: Promise<void> = Promise.resolve();
  #watchedAt = performance.now();
  #unsubscribe: (() => void) | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { configuration, database, log, workerId, onlyJob } = options;
    this.#listener = new Listener(database, log);
    this.#health = new WorkerHealth({ log, onChange: () => this.#healthChanged() });
    this.#notifier = new Notifier(database.pool);
    this.#presence = new WorkerPresence(database.pool, log, registrationOf(options));
    this.#loop = new ClaimLoop({
      db: new Pipeline(database.pool),
      log,
      workerId,
      lanes: [builtinLane('crawl', configuration)],
      pollMs: configuration.pollSeconds * 1000,
      listener: this.#listener,
      capacity: () => (this.#sharing.isJoining ? 0 : this.#freeRunners),
      allowPrivate: configuration.allowPrivate,
      holds: (lease) => this.#holds(lease),
      onJobs: (jobs, asked) => {
        for (const job of jobs) this.#take(job, asked);
      },
      ...(onlyJob && { onlyJob }),
    });
    this.#sharing = new CrawlSharing({
      holder: this.#holder,
      allowPrivate: configuration.allowPrivate,
      onlyJob,
      // The jobs of a claim under way will need them.
      free: () => (this.#loop.isAsking ? 0 : this.#freeRunners),
      holds: (lease) => [...this.#dispatches].some(({ job }) => isSameLease(job, lease)),
      onJoined: (job, asked) => this.#take(job, asked),
      onBegun: (job, asked) => this.#dispatch(job, asked),
      onEnd: () => this.#loop.wake(),
    });
    this.#spare = new SpareRunner(() => this.#spawn());
    const { browserHostProgram: program } = options;
    this.#browserHost = program
      ? new BrowserHost({ program, configuration, log, env: this.#env })
      : undefined;
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

  get #holder(): Holder {
    const { configuration, database, log, workerId } = this.#options;
    const { heartbeatSeconds } = configuration;
    const wasWell = (startedAt: number) => this.#health.wasWell(startedAt);
    return { db: database.pool, log, workerId, heartbeatSeconds, wasWell };
  }

  get runningJobs(): number {
    return this.#dispatches.size + this.#pool.size;
  }

  async start(): Promise<void> {
    const { configuration, database, log, workerId, onlyJob } = this.#options;
    const { pool } = database;
    await this.#presence.enter();
    if (!onlyJob) this.#sayHowItRenders();
    await this.#listener.start();
    const unsubscribe = [
      this.#listener.on('request', () => void this.#renew()),
      this.#listener.on('work', () => void this.#sharing.join()),
    ];
    this.#unsubscribe = () => {
      for (const stop of unsubscribe) stop();
    };
    this.#tasks.push(
      runPeriodically('Renewing leases', configuration.heartbeatSeconds, log, () => this.#renew()),
      runPeriodically('Watching runners', watchMs / 1000, log, async () => this.#watch()),
      runPeriodically('Joining crawls', configuration.pollSeconds, log, () => this.#sharing.join()),
      runPeriodically('The watchdog', configuration.watchdogSeconds, log, async () => {
        const { jobs, shards } = await sweepLeases(pool, log, workerId);
        if (jobs.length + shards === 0) return;
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
    // A one-shot command runs only its own job.
    if (!onlyJob) this.#poolLoop.start();
  }

  #sayHowItRenders(): void {
    const { configuration, log } = this.#options;
    const rendering = browserReadiness(configuration);
    if ('browser' in rendering)
      log.info({ browser: rendering.browser }, 'Pages that need JavaScript are rendered');
    else
      log.info(
        { reason: rendering.problem },
        `Pages that need JavaScript are stored as the server sent them: ${rendering.problem}. ${rendering.advice}`,
      );
  }

  /** Lets the runners checkpoint and hand their jobs back; no retry is burned. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#health.close();
    await Promise.all([this.#loop.stop(), this.#poolLoop.stop()]);
    await this.#sharing.settled();
    this.#spare.kill('not needed any more');
    for (const { runner } of this.#dispatches) runner.stop('drain');
    await Promise.all([...[...this.#dispatches].map(({ runner }) => runner.exited), this.#pool.drain()]);
    this.#browserHost?.close();
    await Promise.all([...this.#endings]);
    await Promise.all([...this.#tasks.map((task) => task.stop()), this.#deliverer.stop()]);
    this.#unsubscribe?.();
    // A heartbeat under way would enter this worker again.
    await this.#renewing;
    await this.#listener.stop();
    await this.#presence.leave();
  }

  /** Ends every runner at once; their jobs are recovered as after a crash. */
  kill(): void {
    this.#spare.kill('the supervisor was ended');
    for (const { runner } of this.#dispatches) runner.kill('runner_crashed', 'the supervisor was ended');
    this.#pool.kill();
    this.#browserHost?.close();
  }

  get #freeRunners(): number {
    const { maxConcurrentJobs } = this.#options.configuration;
    return this.#room(maxConcurrentJobs - this.#dispatches.size - this.#sharing.opening.length);
  }

  /** Whether this lease is of a job that runs here, or is about to. Tickets do not count: a claim knows none. */
  #holds({ id, fence }: HeldJob): boolean {
    const held = [...[...this.#dispatches].map(({ job }) => job), ...this.#sharing.opening];
    return held.some((job) => job.id === id && job.fence === fence);
  }

  /** None while this machine lets no runner work: a spare would die as well. */
  #keepSpare(): void {
    if (!this.#draining && this.#health.isWell) this.#spare.keep();
  }

  /** How many of `free` jobs may be claimed. `isProven`: they need no new process. */
  #room(free: number, isProven = false): number {
    if (this.#draining) return 0;
    if (isProven) return free;
    const starting = [...this.#dispatches].filter(({ runner }) => !runner.hasAsked).length;
    return this.#health.allows(free, starting + this.#pool.unproven);
  }

  #healthChanged(): void {
    if (this.#draining) return;
    if (this.#dispatches.size < this.#options.configuration.maxConcurrentJobs) this.#keepSpare();
    this.#loop.requeued();
    this.#poolLoop.requeued();
    if (this.#presence.isEntered) void this.#renew();
  }

  /** Of the processes it starts: whoever reads its log reads theirs in it. */
  get #env(): NodeJS.ProcessEnv {
    const { configuration, workerId } = this.#options;
    return {
      ...process.env,
      WORKER_ID: workerId,
      // The folder may be given by a flag.
      [settings.dataFolder.env]: configuration.dataFolder,
      HOLDFAST_LOG_FORMAT: logsJson(configuration) ? 'json' : 'text',
    };
  }

  #spawn(onPooledEnd?: (id: string, fence: number) => void): RunnerProcess {
    const { configuration, database, log, runnerProgram } = this.#options;
    const runner = new RunnerProcess({
      program: runnerProgram,
      log,
      memoryMb: configuration.runnerMemoryMb,
      databaseUrl: database.url,
      // The runners' log lines go into this process's log.
      env: {
        ...this.#env,
        ...(this.#browserHost && { [browserSocketVariable]: this.#browserHost.socket }),
      },
      onNeedBrowser: () => this.#browserHost?.need(),
      onAsking: () => this.#health.startWorked(),
      ...(onPooledEnd && { onPooledEnd }),
    });
    // Registered first, so that it runs before anything that claims the next job.
    void runner.exited.then(({ startFailed, why }) => {
      if (startFailed && !this.#draining) this.#health.startFailed(runner.startedAt, why);
    });
    return runner;
  }

  #take(job: ClaimedJob, asked: number): void {
    const forbidden = forbiddenOrigins(job.payload, this.#options.configuration.allowPrivate);
    if (forbidden.length > 0) this.#remember(this.#refuse(job, forbidden, asked));
    else if (job.ticket === undefined && sharesWork(job)) this.#remember(this.#begin(job, asked));
    else this.#dispatch(job, asked);
  }

  /** Whoever has idle runners may join the crawl once it has begun. */
  async #begin(job: ClaimedJob, asked: number): Promise<void> {
    await this.#sharing.begin(job, asked);
    await this.#notifier.notify('work');
  }

  /** Keeps track of remaining work, so that drain waits for it. */
  #remember(ending: Promise<void>): void {
    const ended = ending.finally(() => this.#endings.delete(ended));
    this.#endings.add(ended);
  }

  async #refuse(job: ClaimedJob, forbidden: readonly string[], asked: number): Promise<void> {
    const reason = `this worker may not fetch ${forbidden.join(', ')} (HOLDFAST_ALLOW_PRIVATE)`;
    this.#options.log.warn({ job: job.id }, `Handed back: ${reason}`);
    const leaseEnds = asked + job.lease_seconds * 1000;
    if (job.ticket !== undefined && !(await this.#sharing.refuse(job))) return;
    // Workers that may not fetch them do not claim it again.
    const waitsFor = forbidden.map(asInSettings);
    await handBack({ job, leaseEnds }, { reason, waitsFor }, this.#holder);
    await this.#notifier.notify('work');
  }

  /** Gives the job to a runner process of its own. */
  #dispatch(job: ClaimedJob, asked: number): void {
    const { configuration, database, log } = this.#options;
    const runner = this.#spare.take(database.url) ?? this.#spawn();
    const dispatch = new Dispatch(job, runner, asked);
    this.#dispatches.add(dispatch);
    log.info({ job: job.id, fence: job.fence, ticket: job.ticket, runner: runner.pid }, 'Running job');
    dispatch.begin();
    this.#remember(this.#finish(dispatch));
    if (this.#dispatches.size < configuration.maxConcurrentJobs) this.#keepSpare();
  }

  async #finish(dispatch: Dispatch): Promise<void> {
    await settleExit(dispatch, this.#holder);
    this.#dispatches.delete(dispatch);
    this.#loop.requeued();
    if (dispatch.job.ticket !== undefined) void this.#sharing.join();
    // A one-shot command usually needs no other runner.
    if (!this.#options.onlyJob) this.#keepSpare();
    await this.#notifier.notify('work');
  }

  #renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewOnce());
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { database, log } = this.#options;
    const ticking = [...this.#dispatches].filter(({ isTicking }) => isTicking);
    const asked = performance.now();
    try {
      const pooled = this.#pool.ticking;
      const crawls = ticking.map(({ job }) => job);
      const isShared = ({ ticket }: HeldJob) => ticket !== undefined;
      const whole = [...crawls.filter((job) => !isShared(job)), ...pooled];
      const renewals = await renewLeases(database.pool, whole);
      const shards = await renewShards(database.pool, crawls.filter(isShared));
      for (const dispatch of ticking) {
        const { job } = dispatch;
        const renewal = job.ticket === undefined ? renewals.get(job) : shards.get(job.ticket);
        dispatch.applyRenewal(renewal, asked, log);
      }
      for (const job of pooled) this.#pool.applyRenewal(job, renewals.get(job), asked);
      const { trouble } = this.#health;
      await this.#presence.report({ runningJobs: this.runningJobs, draining: this.#draining, trouble });
    } catch (error) {
      this.#presence.missed();
      log.warn({ err: error }, 'Could not renew leases; runners continue until their leases end');
      return;
    }
    if (await this.#presence.judgeSilent()) this.#loop.requeued();
  }

  #watch(): void {
    const now = performance.now();
    // If this process was held up, messages of the runners are not read yet: judge them next time.
    const mayJudge = now - this.#watchedAt < heldUpMs;
    this.#watchedAt = now;
    this.#pool.watch(mayJudge);
    const { runnerMemoryMb } = this.#options.configuration;
    for (const dispatch of this.#dispatches) dispatch.watch(mayJudge, runnerMemoryMb);
  }
}

function registrationOf({ configuration, workerId: id, onlyJob }: SupervisorOptions): Registration {
  const { maxConcurrentJobs, maxConcurrentVisits, allowPrivate, heartbeatSeconds } = configuration;
  // A one-shot command takes no other job: nobody must count on it as a worker.
  const [crawls, visits] = onlyJob ? [0, 0] : [maxConcurrentJobs, maxConcurrentVisits];
  const kinds: JobKind[] = [];
  if (crawls > 0) kinds.push('crawl');
  if (visits > 0) kinds.push('visit', 'collect');
  const rendering = browserReadiness(configuration);
  return {
    id,
    maxJobs: crawls + visits,
    maxCrawls: crawls,
    kinds,
    allowPrivate,
    heartbeatSeconds,
    rendering,
  };
}
