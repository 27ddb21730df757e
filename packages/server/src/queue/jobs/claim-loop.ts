import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { publish } from '../../base/telemetry/metrics-channel.ts';
import { type ClaimedJob, claimJobs } from './claim-jobs.ts';
import { claimOneJob } from './claim-one-job.ts';
import { ClaimPositions } from './claim-positions.ts';
import type { HeldJob } from './held-job.ts';
import type { Lane } from './lane.ts';
import { LostClaims } from './lost-claims.ts';
import type { Listener } from './notifications.ts';

export interface ClaimLoopOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly lanes: readonly Lane[];
  readonly pollMs: number;
  /** Wakes the loop when jobs become ready. Without one, it only polls. */
  readonly listener?: Listener;
  /** Private origins that the worker may fetch. */
  readonly allowPrivate?: readonly string[];
  /** How many more jobs the worker can take now. */
  readonly capacity: () => number;
  /** Whether the worker knows that it holds the job. A claimed job it does not know (the answer was lost) is released at once. */
  readonly holds?: (job: HeldJob) => boolean;
  /** `asked`: when the claim was sent, by the monotonic clock; none of its leases began earlier. */
  readonly onJobs: (jobs: ClaimedJob[], asked: number) => void;
  /**
   * Claims this job alone (one-shot commands). The first claim ignores its start time and backoff, because a person asked for it;
   * later claims respect them, or a run released until a host is ready would restart over and over.
   */
  readonly onlyJob?: string;
}

/** Smaller claims are slower; larger ones are no faster and hold more locks (bench/notes, queue throughput). */
export const largestClaim = 1000;

/** Claims jobs whenever there is capacity: when notified, when `wake` is called, and every poll. Retries while the database is away. */
export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  readonly #positions: ClaimPositions;
  readonly #lost: LostClaims | undefined;
  #hadOnlyJob = false;
  #woken = false;
  #wakeSleeper: (() => void) | undefined;
  #stopped = false;
  /** How many jobs the claims in flight may return. */
  #asked = 0;
  #running: Promise<void> | undefined;
  #beside: Promise<void> | undefined;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
    this.#positions = new ClaimPositions(options.lanes);
    const { holds } = options;
    this.#lost = holds && new LostClaims({ ...options, holds });
  }

  /** A claim is in flight. */
  get isAsking(): boolean {
    return this.#asked > 0;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Call when capacity was freed or jobs may have become ready. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#wakeSleeper?.();
  }

  /** This worker put a job back into the queue. */
  requeued(): void {
    this.#positions.forget();
    this.wake();
  }

  /** Resolves when no claim is in flight and all claimed jobs have been passed to `onJobs`. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { listener, log } = this.#options;
    const unsubscribe = [
      listener?.on('work', () => this.wake()),
      listener?.on('requeued', () => this.requeued()),
    ];
    while (!this.#stopped) {
      this.#woken = false;
      try {
        if (!this.#beside && (await this.#lost?.giveBack())) this.#positions.forget();
        if (await this.#claimOnce()) {
          this.#beside ??= this.#claimBeside();
          continue;
        }
      } catch (error) {
        log.warn({ err: error }, 'Claiming jobs failed; trying again at the next poll');
      }
      await this.#sleep();
    }
    await this.#beside;
    for (const stop of unsubscribe) stop?.();
  }

  /**
   * While more jobs wait than one claim takes, two claims alternate: PostgreSQL works on one while the answer of the other is read.
   * They are pipelined on one connection; in parallel, each would skip over the rows that the other has locked.
   */
  async #claimBeside(): Promise<void> {
    try {
      while (!this.#stopped && (await this.#claimOnce()));
    } catch (error) {
      this.#options.log.warn({ err: error }, 'Claiming jobs failed; trying again with the next claim');
    }
    this.#beside = undefined;
    // Calls to wake() meanwhile may have found no capacity left.
    this.wake();
  }

  /** True when there may be more to claim right away. */
  async #claimOnce(): Promise<boolean> {
    const { capacity, onJobs } = this.#options;
    const limit = Math.min(capacity() - this.#asked, largestClaim);
    if (limit <= 0) return false;
    const asked = performance.now();
    this.#asked += limit;
    const jobs = await this.#claim(limit, asked)
      .catch((error) => {
        this.#lost?.add(asked);
        throw error;
      })
      .finally(() => {
        this.#asked -= limit;
      });
    publish('claim', { seconds: (performance.now() - asked) / 1000, kinds: jobs.map(({ kind }) => kind) });
    if (jobs.length > 0) {
      this.#hadOnlyJob = true;
      onJobs(jobs, asked);
    }
    return jobs.length === limit;
  }

  async #claim(limit: number, asked: number): Promise<ClaimedJob[]> {
    const { db, lanes, workerId, allowPrivate = [], onlyJob } = this.#options;
    const early = !this.#hadOnlyJob;
    if (onlyJob) return await claimOneJob(db, onlyJob, { lanes, workerId, allowPrivate, early });
    const plan = this.#positions.plan(asked);
    const jobs = await claimJobs(db, {
      lanes,
      limit,
      workerId,
      allowPrivate,
      ...plan,
    });
    this.#positions.learn(plan, limit, jobs);
    return jobs;
  }

  #sleep(): Promise<void> {
    if (this.#woken || this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs);
      this.#wakeSleeper = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
