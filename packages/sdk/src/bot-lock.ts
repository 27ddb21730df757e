import { HoldfastApiError } from './api-error.ts';
import type { BotApi, PulledJob } from './bot-api.ts';
import { JobInterrupted } from './job-interrupted.ts';
import { wait } from './wait.ts';

const leastBeatMs = 200;
/** The end of a lock and the time of a response are both in whole seconds. */
const roundingMs = 1_000;
const beatTimeoutMs = 10_000;
const lostCodes = ['lock_expired', 'not_assigned', 'job_not_locked', 'job_not_found'];

/** A bot's lock on one job, renewed by heartbeats until it is released or lost. */
export class BotLock {
  readonly #api: BotApi;
  readonly #job: PulledJob;
  readonly #interruption = new AbortController();
  readonly #release = new AbortController();
  readonly #onError: (error: unknown) => void;
  /** When it expires, by the local monotonic clock. */
  #until: number;

  /** `at`: the server's time when the lock was granted. */
  constructor(api: BotApi, job: PulledJob, at: number, onError: (error: unknown) => void) {
    this.#api = api;
    this.#job = job;
    this.#onError = onError;
    this.#until = performance.now() + Date.parse(job.locked_until) - at;
  }

  /** Aborted with a JobInterrupted when work on the job must stop. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  get interrupted(): JobInterrupted | undefined {
    return this.signal.aborted ? (this.signal.reason as JobInterrupted) : undefined;
  }

  get msLeft(): number {
    return this.#until - performance.now();
  }

  /** Certainly expired; only the server knows the exact time. */
  get isOver(): boolean {
    return this.msLeft < -roundingMs;
  }

  interrupt(why: JobInterrupted['why'], cause?: unknown): void {
    if (!this.signal.aborted) this.#interruption.abort(new JobInterrupted(why, { cause }));
  }

  /** No more heartbeats. */
  release(): void {
    this.#release.abort();
  }

  /**
   * Sends a heartbeat after each third of the remaining time. Resolves when the lock is released, lost or no longer
   * needed.
   */
  async keep(): Promise<void> {
    const { signal } = this.#release;
    while (!signal.aborted) {
      await wait(Math.max(leastBeatMs, this.msLeft / 3), signal).catch(() => {});
      if (signal.aborted) return;
      if (this.isOver) return this.interrupt('lost');
      if (!(await this.#beat(signal))) return;
    }
  }

  /** False: the lock is over. */
  async #beat(signal: AbortSignal): Promise<boolean> {
    try {
      const timeoutMs = Math.max(leastBeatMs, Math.min(beatTimeoutMs, this.msLeft + roundingMs));
      const sentAt = performance.now();
      const { locked_until, action, at } = await this.#api.heartbeat(this.#job, {
        signal,
        timeoutMs,
        retries: 0,
      });
      this.#until = sentAt + Date.parse(locked_until) - at;
      if (action === 'continue') return true;
      // A job that must stop is not extended.
      this.interrupt(action);
      return false;
    } catch (error) {
      if (signal.aborted) return false;
      if (error instanceof HoldfastApiError && lostCodes.includes(error.code)) {
        this.interrupt('lost', error);
        return false;
      }
      this.#onError(error);
      return true;
    }
  }
}
