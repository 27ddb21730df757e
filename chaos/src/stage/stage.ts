import type pg from 'pg';
import { pino } from 'pino';
import { createPool } from '../../../packages/server/src/base/database/create-pool.ts';
import { configureSource } from '../../../packages/server/src/governor/sources/configure-source.ts';
import { type ChaosRun, judgesTimes } from '../fault.ts';
import type { PrivateServer } from '../postgres/private-server.ts';
import { HoldfastProcess } from '../processes/holdfast-process.ts';
import { childrenOf, isAlive, signal } from '../processes/process-table.ts';
import { Origin } from '../site/origin.ts';
import { Wire } from '../wire/wire.ts';
import { Crawls } from './crawls.ts';

export interface StageOptions {
  /** `holdfast worker` processes to begin with. */
  readonly workers?: number;
  readonly jobsPerWorker?: number;
  /** Between the workers and PostgreSQL. */
  readonly wired?: boolean;
  readonly env?: Record<string, string>;
  readonly origins?: number;
  readonly tablespace?: string;
  /** Each origin is a source with this limit, which all workers together have to keep. */
  readonly limitPerMinute?: number;
  /** Named after the run's server in the workers' DATABASE_URL. */
  readonly standby?: PrivateServer;
}

function withStandby(url: string, standby: PrivateServer | undefined): string {
  return standby ? url.replace(/(@[^/]+)/, `$1,127.0.0.1:${standby.port}`) : url;
}

/** For a connection of our own, on a machine however busy: what is judged there is not how long we wait. */
const patienceMs = 60_000;

function openPool(url: string, run: ChaosRun): pg.Pool {
  const pool = createPool({ connectionString: url }, pino({ level: 'silent' }), { name: 'chaos', max: 8 });
  if (!judgesTimes(run)) pool.options.connectionTimeoutMillis = patienceMs;
  return pool;
}

const momentMs = 250;

export interface RunningJob {
  readonly id: string;
  readonly fence: number;
  readonly runner: number;
  readonly worker: HoldfastProcess;
  /** When the run began. */
  readonly since: number;
}

/** A database, sites, crawls and worker processes for one fault. */
export class Stage {
  readonly run: ChaosRun;
  pool: pg.Pool;
  readonly origins: readonly Origin[];
  readonly crawls: Crawls;
  readonly wire: Wire | undefined;
  readonly workers: HoldfastProcess[] = [];
  readonly #options: StageOptions;
  readonly #databaseName: string;
  readonly #url: string;
  #named = 0;

  private constructor(
    run: ChaosRun,
    options: StageOptions,
    parts: Pick<Stage, 'pool' | 'origins' | 'wire'>,
    database: { name: string; url: string },
  ) {
    this.run = run;
    this.#options = options;
    this.pool = parts.pool;
    this.origins = parts.origins;
    this.wire = parts.wire;
    this.#databaseName = database.name;
    this.#url = database.url;
    this.crawls = new Crawls(this);
  }

  static async open(run: ChaosRun, options: StageOptions = {}): Promise<Stage> {
    const { name, url } = await run.server.createDatabase(options.tablespace);
    const pool = openPool(url, run);
    const origins = await Promise.all(Array.from({ length: options.origins ?? 4 }, () => Origin.start()));
    const wire = options.wired ? await Wire.open(() => run.server.port) : undefined;
    const parts = { pool, origins, wire };
    const stage = new Stage(run, options, parts, {
      name,
      url: wire ? run.server.urlOf(name, wire.port) : withStandby(url, options.standby),
    });
    try {
      await stage.#limit();
      for (let n = 0; n < (options.workers ?? 0); n++) stage.startWorker();
      await stage.ready();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  get limitPerMinute(): number | undefined {
    return this.#options.limitPerMinute;
  }

  async #limit(): Promise<void> {
    if (this.limitPerMinute === undefined) return;
    for (const [index, { url }] of this.origins.entries())
      await configureSource(this.pool, `origin-${index}`, {
        hosts: [new URL(url).host],
        rate_limit_per_minute: this.limitPerMinute,
        concurrency: 32,
      });
  }

  /** Where the processes of this stage find the database. */
  get url(): string {
    return this.#url;
  }

  /** Looks at another server from now on. */
  async follow(server: PrivateServer): Promise<void> {
    await this.pool.end().catch(() => undefined);
    this.pool = openPool(server.urlOf(this.#databaseName), this.run);
  }

  startWorker(env: Record<string, string> = {}, program?: string): HoldfastProcess {
    const id = `w${++this.#named}`;
    const worker = new HoldfastProcess(
      this.run.root,
      ['worker'],
      { ...this.env(), WORKER_ID: id, HOLDFAST_USER_AGENT: `Chaos/${id}`, ...env },
      program,
    );
    this.workers.push(worker);
    return worker;
  }

  env(): Record<string, string> {
    const { leaseSeconds, heartbeatSeconds, sweepSeconds } = this.run.timings;
    return {
      DATABASE_URL: this.#url,
      HOLDFAST_LEASE_SECONDS: String(leaseSeconds),
      HOLDFAST_HEARTBEAT_SECONDS: String(heartbeatSeconds),
      HOLDFAST_WATCHDOG_SECONDS: String(sweepSeconds),
      HOLDFAST_BREAKER_PAUSE_SECONDS: String(sweepSeconds),
      HOLDFAST_PROBE_SECONDS: String(sweepSeconds),
      HOLDFAST_SHARE_SECONDS: String(sweepSeconds),
      HOLDFAST_ALLOW_PRIVATE: this.origins.map(({ url }) => url).join(','),
      MAX_CONCURRENT_JOBS: String(this.#options.jobsPerWorker ?? 2),
      MAX_CONCURRENT_VISITS: '0',
      ...this.#options.env,
    };
  }

  async ready(): Promise<void> {
    await Promise.all(
      this.workers.filter(({ hasExited }) => !hasExited).map((worker) => worker.says(/is ready/)),
    );
  }

  /** The runs that go on now, as the workers told of them. */
  running(): RunningJob[] {
    const found = new Map<string, RunningJob>();
    for (const worker of this.workers) {
      if (worker.hasExited) continue;
      for (const { msg, job, fence = 0, runner, at = 0 } of worker.lines) {
        if (msg !== 'Running job' || !job || !runner || fence < (found.get(job)?.fence ?? 0)) continue;
        found.set(job, { id: job, fence, runner, worker, since: at });
      }
    }
    const live = new Set(this.crawls.live.map(({ id }) => id));
    return [...found.values()].filter(({ id, runner }) => live.has(id) && isAlive(runner));
  }

  /** Those of them that have asked for something since they began, and a moment ago. */
  atWork(): RunningJob[] {
    return this.running().filter(({ id, since }) => {
      const crawl = this.crawls.all.find((one) => one.id === id);
      return (
        crawl !== undefined &&
        crawl.origin.lastOf(crawl.section) > Math.max(since, performance.now() - momentMs)
      );
    });
  }

  /** Every process of ours, runners included. */
  pids(): number[] {
    const workers = this.workers.filter(({ hasExited }) => !hasExited).map(({ pid }) => pid);
    return [...workers, ...workers.flatMap((pid) => childrenOf(pid))];
  }

  /** Workers that ended without our doing. */
  get crashed(): HoldfastProcess[] {
    return this.workers.filter((worker) => worker.hasExited && !worker.isExpected);
  }

  get requests(): number {
    return this.origins.reduce((sum, { served }) => sum + served, 0);
  }

  /** Requests at all origins between two moments. */
  requestsBetween(from: number, to: number): number {
    return this.origins.reduce(
      (sum, { log }) => sum + log.filter(({ at }) => at >= from && at < to).length,
      0,
    );
  }

  async close(): Promise<void> {
    this.crawls.stop();
    for (const pid of this.pids()) {
      signal(pid, 'SIGCONT');
      signal(pid, 'SIGKILL');
    }
    await Promise.all(this.workers.map((worker) => worker.end('SIGKILL')));
    await this.wire?.close();
    await this.pool.end().catch(() => undefined);
    await Promise.all(this.origins.map((origin) => origin.stop()));
    await this.run.server.dropDatabase(this.#databaseName).catch(() => undefined);
  }
}
