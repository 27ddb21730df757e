import type { Logger } from 'pino';

/** Failed starts in a row after which the worker reports that it is sick. */
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
 * Whether this machine lets runners work (ADR 24). After one that dies before its first request, nothing is claimed for a while, twice
 * as long after each further one, and then one job at a time, until a runner reaches its first request.
 */
export class WorkerHealth {
  readonly #options: WorkerHealthOptions;
  readonly #now: () => number;
  /** Failed starts in a row; of runners that started together, one counts. */
  #failures = 0;
  #lastFailure = Number.NEGATIVE_INFINITY;
  /** When the first of those runners was started. */
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

  /** Whether runners worked up to the one started then: only its death may be its job's fault. */
  wasWell(startedAt: number): boolean {
    return this.isWell || startedAt === this.#firstStart;
  }

  /** Why it has stopped claiming, for the list of workers; undefined while it claims. */
  get trouble(): string | undefined {
    if (this.#failures < sickAfter) return undefined;
    return `${this.#failures} runners in a row died before their first request; the last: ${this.#why}`;
  }

  /** How many jobs may be claimed. `unproven`: runs that have not reached their first request. */
  allows(room: number, unproven: number): number {
    if (this.isWell) return room;
    return this.#now() < this.#retryAt || unproven > 0 ? 0 : Math.min(room, 1);
  }

  /** A runner started at this time died before its first request, or could not be started at all. */
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
      log.warn(fields, 'A runner died before its first request; claiming pauses');
    else
      log.error(
        fields,
        `This worker is sick and has stopped claiming jobs: ${this.trouble}. It tries one job in ${waitMs / 1000} s`,
      );
    onChange();
  }

  /** A runner has reached its first request. */
  startWorked(): void {
    if (this.isWell) return;
    if (this.trouble) this.#options.log.info('Runners work again; claiming jobs as before');
    this.#failures = 0;
    this.close();
    this.#options.onChange();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
