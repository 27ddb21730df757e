import type { Logger } from 'pino';

/** So many failed starts in a row, and the worker says that it is sick. */
const sickAfter = 3;
const firstWaitMs = 1_000;
const longestWaitMs = 300_000;

export interface WorkerHealthOptions {
  readonly log: Logger;
  /** Jobs may be claimed again, or `trouble` has changed. */
  readonly onChange: () => void;
  /** The monotonic clock. */
  readonly now?: () => number;
}

/**
 * Whether this machine lets runners work. One that dies before its first request says that it does not: nothing is claimed for
 * a while, twice as long after each such death, and then one job at a time, until a runner gets as far as its first request.
 */
export class WorkerHealth {
  readonly #options: WorkerHealthOptions;
  readonly #now: () => number;
  /** Deaths one after the other; of runners that started together, one counts. */
  #failures = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;
  /** When the runner was started whose death was the first of them. */
  #firstStart: number | undefined;
  #retryAt = Number.NEGATIVE_INFINITY;
  #why = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WorkerHealthOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  get isWell(): boolean {
    return this.#failures === 0;
  }

  /** Whether runners worked until the one that was started then: only its death may be its job's fault. */
  wasWell(startedAt: number): boolean {
    return this.isWell || startedAt === this.#firstStart;
  }

  /** Why it has stopped claiming, for whoever looks at the list of workers; undefined while it has not. */
  get trouble(): string | undefined {
    if (this.#failures < sickAfter) return undefined;
    return `${this.#failures} runners in a row died before their first request; the last: ${this.#why}`;
  }

  /** How many jobs may be claimed of those there is room for; `unproven`: runs that have not come to their first request. */
  allows(room: number, unproven: number): number {
    if (this.isWell) return room;
    return this.#now() < this.#retryAt || unproven > 0 ? 0 : Math.min(room, 1);
  }

  /** A runner that was started then died before its first request, or could not even be started. */
  startFailed(startedAt: number, why: string): void {
    this.#why = why;
    if (startedAt < this.#lastFailure) return;
    if (this.isWell) this.#firstStart = startedAt;
    this.#lastFailure = this.#now();
    this.#failures++;
    const waitMs = Math.min(firstWaitMs * 2 ** (this.#failures - 1), longestWaitMs);
    this.#retryAt = this.#lastFailure + waitMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#options.onChange, waitMs);
    const { log, onChange } = this.#options;
    const fields = { failures: this.#failures, seconds: waitMs / 1000, why };
    if (this.#failures < sickAfter)
      log.warn(fields, 'A runner died before its first request; nothing is claimed for a moment');
    else
      log.error(
        fields,
        `This worker is sick and has stopped claiming jobs: ${this.trouble}. It tries a single one in ${waitMs / 1000} s`,
      );
    onChange();
  }

  /** A runner has come to its first request. */
  startWorked(): void {
    if (this.isWell) return;
    if (this.trouble) this.#options.log.info('Runners work again; jobs are claimed as before');
    this.#failures = 0;
    this.close();
    this.#options.onChange();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
