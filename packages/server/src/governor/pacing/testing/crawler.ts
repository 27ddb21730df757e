import type { GovernedRun } from '../governed-run.ts';
import type { Permit } from '../permit.ts';
import type { RequestOutcome } from '../request-outcome.ts';

export const ok: RequestOutcome = { kind: 'ok', status: 200, latencyMs: 5 };
export const refused: RequestOutcome = { kind: 'error', code: 'connection_failed' };
export const tooMany = (retryAfterSeconds?: number): RequestOutcome => ({
  kind: 'http',
  status: 429,
  latencyMs: 5,
  retryAfterSeconds,
});

export interface CrawlerOptions {
  readonly workMs?: number;
  readonly answer?: () => RequestOutcome;
}

/** Asks for one host as often as it may. */
export class Crawler {
  /** Milliseconds of the epoch, so that processes can be compared. */
  readonly starts: number[] = [];
  /** Of the same requests: just before the governor was asked. The machine may let us wait between the two. */
  readonly asked: number[] = [];
  inFlight = 0;
  mostInFlight = 0;
  readonly #run: GovernedRun;
  readonly #host: string;
  readonly #options: CrawlerOptions;
  readonly #unsubscribe: () => void;
  #stopped = false;

  constructor(run: GovernedRun, host: string, options: CrawlerOptions = {}) {
    this.#run = run;
    this.#host = host;
    this.#options = options;
    this.#unsubscribe = run.onReady((ready) => {
      if (ready === host) this.#pump();
    });
    this.#pump();
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe();
  }

  #pump(): void {
    while (!this.#stopped) {
      const asked = performance.timeOrigin + performance.now();
      const permit = this.#run.tryAcquire(this.#host);
      if ('waitUntil' in permit) return;
      this.asked.push(asked);
      this.starts.push(performance.timeOrigin + performance.now());
      this.inFlight++;
      this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
      setTimeout(() => this.#end(permit), this.#options.workMs ?? 1);
    }
  }

  #end(permit: Permit): void {
    this.inFlight--;
    permit.done(this.#options.answer?.() ?? ok);
    this.#pump();
  }
}

/** Waits until a request to the host may start. */
export async function acquire(run: GovernedRun, host: string): Promise<Permit> {
  for (;;) {
    let unsubscribe = () => {};
    const ready = new Promise<void>((resolve) => {
      unsubscribe = run.onReady(() => resolve());
    });
    const permit = run.tryAcquire(host);
    if (!('waitUntil' in permit)) {
      unsubscribe();
      return permit;
    }
    await ready;
    unsubscribe();
  }
}

/** One request, whenever it may start. */
export async function request(run: GovernedRun, host: string, outcome: RequestOutcome = ok): Promise<void> {
  (await acquire(run, host)).done(outcome);
}
