import { type Configuration, HoldfastError, type JobKind, parseUrl } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { moduleProgramPath } from '../../base/process/installation.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import type { Renderer } from '../../browser/render-client.ts';
import { GovernedFetcher, SourceBlocked } from '../../governor/governed-fetcher.ts';
import { RenderModes } from '../../governor/sources/render-modes.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { endRun, type RunEnd, type StopReason, supervisorEnds } from '../../queue/jobs/end-run.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { checkPayload } from '../../queue/jobs/job-request.ts';
import type { BlockedBy } from '../../queue/jobs/waiting-jobs.ts';
import { Collector } from '../../shop/collect/collector.ts';
import { Visitor } from '../../shop/visits/visitor.ts';
import type { RequestLease } from '../../web/fetch/fetcher.ts';
import type { FromRunner } from './messages.ts';

/** The work of one kind of job: stores its result together with the job's completion, or throws. */
interface Work {
  run(job: ClaimedJob, lease: RequestLease): Promise<WriteOutcome>;
}

interface PooledRun {
  readonly job: ClaimedJob;
  readonly stop: AbortController;
  leaseEnds: number;
}

export interface PooledJobsOptions {
  readonly pool: pg.Pool;
  readonly log: Logger;
  readonly configuration: Configuration;
  readonly send: (message: FromRunner) => void;
  readonly onRequest?: () => void;
  /** Undefined if this worker has no browser host. */
  readonly renderer?: Renderer | undefined;
  /** The bundled thread of adapter modules. */
  readonly moduleProgram?: string;
}

const defaultTimeoutSeconds = 600;

/** The visits and collections of a pooled runner, each with its own lease and its own end. */
export class PooledJobs {
  readonly #options: PooledJobsOptions;
  readonly #actor: string;
  readonly #fetcher: GovernedFetcher;
  readonly #works: Partial<Record<JobKind, Work>>;
  readonly #runs = new Map<string, PooledRun>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: PooledJobsOptions) {
    this.#options = options;
    const { pool, log, configuration, moduleProgram = moduleProgramPath } = options;
    const secretStore = new SecretStore(new SecretKeys(configuration));
    const actor = `supervisor:${configuration.workerId ?? 'unnamed'}`;
    this.#actor = actor;
    const fetcher = new GovernedFetcher({ pool, log, configuration, onRequest: options.onRequest });
    this.#fetcher = fetcher;
    this.#works = {
      visit: new Visitor({
        pool,
        secrets: secretStore,
        fetcher,
        actor,
        renderer: options.renderer,
        modes: new RenderModes(pool),
        userAgent: configuration.userAgent,
      }),
      collect: new Collector({
        pool,
        log,
        configuration,
        fetcher,
        actor,
        secrets: process.env,
        secretStore,
        moduleProgram,
      }),
    };
  }

  start(job: ClaimedJob, leaseMs: number): void {
    const run = { job, stop: new AbortController(), leaseEnds: performance.now() + leaseMs };
    this.#runs.set(keyOf(job), run);
    const running = this.#run(run).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  renewed(id: string, fence: number, leaseMs: number): void {
    const run = this.#runs.get(keyOf({ id, fence }));
    if (run) run.leaseEnds = performance.now() + leaseMs;
  }

  stop(id: string, fence: number, reason: StopReason): void {
    this.#runs.get(keyOf({ id, fence }))?.stop.abort(reason);
  }

  /** Hands every job back. */
  async drain(why: keyof typeof supervisorEnds = 'drain'): Promise<void> {
    for (const { stop } of this.#runs.values()) stop.abort(why);
    await Promise.all(this.#running);
    await this.#fetcher.close();
  }

  async #run(run: PooledRun): Promise<void> {
    const { job } = run;
    const { log, send } = this.#options;
    let status: WriteOutcome = 'lost';
    try {
      status = await this.#perform(run);
    } catch (error) {
      log.error(
        { err: error, job: job.id },
        'A run failed unexpectedly; its job is recovered when its lease ends',
      );
    } finally {
      this.#runs.delete(keyOf(job));
      // Requests still in flight for it, such as for a robots.txt that nobody else waits for, have no lease any more.
      run.leaseEnds = 0;
      run.stop.abort();
      send({ type: 'pooledEnded', id: job.id, fence: job.fence, status });
    }
  }

  /** The source that a visit failed at; a collection's payload names its source. */
  #placeOf({ payload }: ClaimedJob, error: unknown): BlockedBy | undefined {
    const url = typeof payload.url === 'string' ? parseUrl(payload.url) : undefined;
    if (!url) return undefined;
    const isUnreachable = error instanceof HoldfastError && error.code === 'robots_unreachable';
    return this.#fetcher.blockedBy(url.host, isUnreachable ? 'robots' : 'tries');
  }

  async #perform(run: PooledRun): Promise<WriteOutcome> {
    const { job, stop } = run;
    const { pool } = this.#options;
    const seconds = job.timeout_seconds ?? defaultTimeoutSeconds;
    const timeUp = AbortSignal.timeout(seconds * 1000);
    const signal = AbortSignal.any([stop.signal, timeUp]);
    const leaseEnds = () => run.leaseEnds;
    try {
      const work = this.#works[job.kind];
      if (!work) throw new HoldfastError('run_failed', `a ${job.kind} job does not run here`);
      checkPayload(job);
      return await work.run(job, { leaseEnds, signal });
    } catch (error) {
      const end = this.#endOf(job, error, {
        stopped: stop.signal.aborted ? (stop.signal.reason as StopReason) : undefined,
        timeUpSeconds: timeUp.aborted ? seconds : undefined,
      });
      return await endRun(job, end, { db: pool, actor: this.#actor, leaseEnds });
    }
  }

  /** How a failed run ends. Rethrows an error that is not the job's. */
  #endOf(job: ClaimedJob, error: unknown, { stopped, timeUpSeconds }: Interruption): RunEnd {
    // A lease that ran out here may still be ours in the database: the job has not failed, the watchdog recovers it.
    if (stopped === 'lost' || (error instanceof HoldfastError && error.code === 'lease_lost'))
      return { how: 'lost' };
    if (stopped) return { how: 'released', reason: releaseReasons[stopped] };
    if (error instanceof SourceBlocked) return { how: 'blocked', by: error.by, seconds: error.seconds };
    const known =
      timeUpSeconds === undefined ? error : new HoldfastError('run_timed_out', `after ${timeUpSeconds} s`);
    // The database is away, or we are wrong: the lease runs out and the job is tried again.
    if (!(known instanceof HoldfastError)) throw error;
    this.#options.log.info({ job: job.id, code: known.code }, `A ${job.kind} job failed: ${known.message}`);
    const { retryAfterSeconds } = error as { retryAfterSeconds?: number };
    const blockedBy = this.#placeOf(job, error);
    return { how: 'failed', error: known, isFinal: known.retry === 'never', retryAfterSeconds, blockedBy };
  }
}

/** What ended a run from outside, if anything did. */
interface Interruption {
  readonly stopped: StopReason | undefined;
  /** Set when its time was up: how much it had. */
  readonly timeUpSeconds: number | undefined;
}

const releaseReasons = {
  pause: 'pause requested',
  cancel: 'cancel requested',
  ...supervisorEnds,
} as const;

function keyOf({ id, fence }: Pick<ClaimedJob, 'id' | 'fence'>): string {
  return `${id} ${fence}`;
}
