import { triesWhenRefused } from '../../crawler/retry-delay.ts';
import type { GovernedRun } from '../governor.ts';
import type { SimulatedOrigin } from './simulated-origin.ts';

const attempts = 3;
const retryMs = (attempt: number, seconds = 0) =>
  Math.max(seconds * 1000, Math.min(1_000 * 8 ** (attempt - 1), 60_000));

/** A crawl that never runs out of pages, and tries again what failed, as crawls do. */
export class SimulatedCrawl {
  /** Pages that failed as often as a page may. */
  lost = 0;
  readonly #run: GovernedRun;
  readonly #host: string;
  readonly #origin: SimulatedOrigin;
  /** Attempts of pages whose time to be tried again has come. */
  readonly #again: number[] = [];
  #stopped = false;

  constructor(run: GovernedRun, host: string, origin: SimulatedOrigin) {
    this.#run = run;
    this.#host = host;
    this.#origin = origin;
    run.onReady(() => this.#pump());
    this.#pump();
  }

  stop(): void {
    this.#stopped = true;
  }

  #pump(): void {
    while (!this.#stopped) {
      const permit = this.#run.tryAcquire(this.#host);
      if ('waitUntil' in permit) return;
      const failures = this.#again.shift() ?? 0;
      const outcome = this.#origin.answer(failures === 0);
      setTimeout(() => {
        permit.done({ ...outcome, again: failures > 0 });
        if ('status' in outcome && outcome.status !== 200)
          this.#failed(failures + 1, outcome.retryAfterSeconds);
        this.#pump();
      }, this.#origin.latencyMs);
    }
  }

  #failed(failures: number, retryAfterSeconds?: number): void {
    const most = this.#run.isOverloaded(this.#host) ? attempts * triesWhenRefused : attempts;
    if (failures >= most) {
      this.lost++;
      return;
    }
    setTimeout(
      () => {
        this.#again.push(failures);
        this.#pump();
      },
      retryMs(failures, retryAfterSeconds),
    );
  }
}
