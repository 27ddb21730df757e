import { HoldfastApiError } from './api-error.ts';
import { backoff } from './backoff.ts';
import { BotApi, type BotApiOptions, type Pulled, type PulledJob, type Submitted } from './bot-api.ts';
import { BotLock } from './bot-lock.ts';
import { isPassing } from './is-passing.ts';
import { randomKey } from './random-key.ts';
import type { Submission, VisitResult } from './submission-text.ts';
import { wait } from './wait.ts';

export interface BotOptions extends BotApiOptions {
  /** Concurrent jobs; default 5. */
  readonly concurrency?: number | undefined;
  /** Only jobs of this host and its subdomains. */
  readonly domain?: string | undefined;
  /** Maximum time between two pulls while idle; default 15 s. */
  readonly maxIdleMs?: number | undefined;
  /** Ends when no work is left, neither for this bot nor held by others. */
  readonly untilEmpty?: boolean | undefined;
  /** How long jobs may continue after stop() before their signals are aborted; default: until they end. */
  readonly drainMs?: number | undefined;
  /** Aborting it stops the bot like stop(). */
  readonly signal?: AbortSignal | undefined;
  /** Called for errors that the bot has handled: an unreachable API, a handler that threw, a lost lock. */
  readonly onError?: ((error: unknown, job?: PulledJob) => void) | undefined;
  readonly onSubmitted?: ((job: PulledJob, answer: Submitted) => void) | undefined;
}

/**
 * Handles one job. If it throws, the error is submitted as a failure. Its signal is aborted when the result would no
 * longer be accepted.
 */
export type Handler = (job: PulledJob, context: { readonly signal: AbortSignal }) => Promise<VisitResult>;

/** Counts of pulled jobs by outcome. */
export interface BotTally {
  pulled: number;
  succeeded: number;
  failed: number;
  /** Lost locks, for which nothing was submitted. */
  lost: number;
}

const firstIdleMs = 500;
const mostPerPull = 100;

/** Pulls visit jobs, renews their locks while a handler works on them, and submits its results. */
export class Bot {
  readonly #options: BotOptions;
  readonly #api: BotApi;
  readonly #concurrency: number;
  readonly #stopping = new AbortController();
  readonly #locks = new Set<BotLock>();
  readonly #tally: BotTally = { pulled: 0, succeeded: 0, failed: 0, lost: 0 };
  #wake = () => {};
  #run: Promise<BotTally> | undefined;

  constructor(options: BotOptions) {
    this.#options = options;
    this.#api = new BotApi(options);
    this.#concurrency = Math.floor(options.concurrency ?? 5);
    if (!(this.#concurrency >= 1)) throw new RangeError('concurrency must be at least 1');
  }

  /** Runs until it is stopped and its last job is done. Rejects if the server refuses this bot. */
  run(handler: Handler): Promise<BotTally> {
    if (this.#run) throw new Error('a bot runs once');
    this.#run = this.#untilStopped(handler);
    return this.#run;
  }

  /** Stops pulling; jobs in progress continue to their end, or for drainMs. Resolves when they are done. */
  async stop(): Promise<void> {
    this.#stopNow();
    await this.#run?.catch(() => {});
  }

  #stopNow(): void {
    this.#stopping.abort();
    this.#wake();
  }

  async #untilStopped(handler: Handler): Promise<BotTally> {
    const { signal } = this.#options;
    const stop = () => this.#stopNow();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await this.#pullAll(handler);
    } finally {
      signal?.removeEventListener('abort', stop);
      await this.#drain();
    }
    return { ...this.#tally };
  }

  async #drain(): Promise<void> {
    const { drainMs = Number.POSITIVE_INFINITY } = this.#options;
    const interruptAll = () => {
      for (const lock of this.#locks) lock.interrupt('stopped');
    };
    const timer = Number.isFinite(drainMs) ? setTimeout(interruptAll, drainMs) : undefined;
    while (this.#locks.size > 0) await this.#change();
    clearTimeout(timer);
  }

  /** Resolves when a job is done or the bot must stop. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #pullAll(handler: Handler): Promise<void> {
    const { signal } = this.#stopping;
    const { maxIdleMs = 15_000, untilEmpty = false } = this.#options;
    let idle = 0;
    while (!signal.aborted) {
      const free = this.#concurrency - this.#locks.size;
      if (free === 0) {
        await this.#change();
        continue;
      }
      const pulled = await this.#pull(Math.min(free, mostPerPull));
      for (const job of pulled?.jobs ?? []) this.#start(job, pulled?.at ?? 0, handler);
      idle = pulled?.jobs.length ? 0 : idle + 1;
      if (idle === 0) continue;
      if (untilEmpty && pulled?.skipped === 0 && this.#locks.size === 0) return;
      await wait(backoff(idle - 1, Math.min(firstIdleMs, maxIdleMs), maxIdleMs), signal).catch(() => {});
    }
  }

  /**
   * Repeats the same pull until it is answered, so that no job stays locked for a bot that does not know of it. A pull
   * in progress when the bot is stopped is not aborted, and repeated once if its response is lost. Undefined: no
   * response.
   */
  async #pull(maxJobs: number): Promise<Pulled | undefined> {
    const { signal } = this.#stopping;
    const { domain } = this.#options;
    const idempotencyKey = randomKey();
    for (let failures = 0; ; failures++) {
      const isLast = signal.aborted;
      try {
        return await this.#api.pull({ maxJobs, domain, idempotencyKey, retries: 0 });
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.#report(error);
        if (isLast) return undefined;
        await wait(delay(error, failures), signal).catch(() => {});
      }
    }
  }

  #start(job: PulledJob, at: number, handler: Handler): void {
    const report = (error: unknown) => this.#report(error, job);
    const lock = new BotLock(this.#api, job, at, report);
    this.#locks.add(lock);
    this.#tally.pulled++;
    const settled = (outcome: keyof BotTally) => {
      this.#tally[outcome]++;
      this.#locks.delete(lock);
      this.#wake();
    };
    const keeping = lock.keep();
    this.#handle(job, lock, handler)
      .finally(() => {
        lock.release();
        return keeping;
      })
      .then(settled, (error) => {
        report(error);
        settled('lost');
      });
  }

  async #handle(job: PulledJob, lock: BotLock, handler: Handler): Promise<keyof BotTally> {
    // A late or repeated response to a pull may contain expired locks.
    if (lock.isOver) lock.interrupt('lost');
    const submission = await this.#perform(job, lock, handler);
    if (submission) return this.#submit(job, lock, submission);
    this.#report(lock.interrupted, job);
    return 'lost';
  }

  /** The submission; undefined if the lock is lost. */
  async #perform(job: PulledJob, lock: BotLock, handler: Handler): Promise<Submission | undefined> {
    const { job_id, lease_token } = job;
    let outcome: VisitResult | { readonly error: unknown };
    try {
      lock.signal.throwIfAborted();
      outcome = await handler(job, { signal: lock.signal });
      if (typeof outcome !== 'object' || outcome === null)
        throw new TypeError('The handler returned nothing');
    } catch (error) {
      outcome = { error: lock.interrupted ?? error };
    }
    if (lock.interrupted?.why === 'lost') return undefined;
    if (!('error' in outcome)) return { ...outcome, job_id, lease_token, success: true };
    this.#report(outcome.error, job);
    return { job_id, lease_token, success: false, error_msg: messageOf(outcome.error) };
  }

  /**
   * Repeats the submit until it is answered or the lock would have expired: with its lease_token, a repetition gets the
   * first response.
   */
  async #submit(job: PulledJob, lock: BotLock, submission: Submission): Promise<keyof BotTally> {
    const until = performance.now() + lock.msLeft;
    for (let failures = 0; ; failures++) {
      const isLast = performance.now() >= until || lock.interrupted?.why === 'stopped';
      try {
        const answer = await this.#api.submit(submission, { retries: 0 });
        quietly(() => this.#options.onSubmitted?.(job, answer));
        return submission.success ? 'succeeded' : 'failed';
      } catch (error) {
        this.#report(error, job);
        if (isPassing(error) && !isLast) {
          await wait(Math.min(delay(error, failures), Math.max(0, until - performance.now())));
        } else if (submission.success && isRefused(error)) {
          const { job_id, lease_token } = job;
          const error_msg = `The result was refused: ${messageOf(error)}`;
          return this.#submit(job, lock, { job_id, lease_token, success: false, error_msg });
        } else return 'lost';
      }
    }
  }

  #report(error: unknown, job?: PulledJob): void {
    quietly(() => this.#options.onError?.(error, job));
  }
}

/** Ignores errors of listeners. */
function quietly(listener: () => void): void {
  try {
    listener();
  } catch {}
}

/** The handler's result cannot be submitted. */
function isRefused(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof HoldfastApiError && error.code === 'validation_error')
  );
}

function delay(error: unknown, failures: number): number {
  const asked = error instanceof HoldfastApiError ? error.retryAfterMs : undefined;
  return asked ?? backoff(failures);
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || 'The handler failed';
}
