import type { Tries } from '../../../crawl/frontier/frontier-entry.ts';
import { areUsedUp } from '../../../crawl/run/retry-delay.ts';
import type { GovernedRun } from '../governed-run.ts';
import type { SimulatedOrigin } from './simulated-origin.ts';

const attempts = 3;
const retryMs = (attempt: number, seconds = 0) =>
  Math.max(seconds * 1000, Math.min(1_000 * 8 ** (attempt - 1), 60_000));

/** A crawl that never runs out of pages and retries failed ones. */
export class SimulatedCrawl {
  /** Pages that failed as often as a page may. */
  lost = 0;
  readonly #run: GovernedRun;
  readonly #host: string;
  readonly #origin: SimulatedOrigin;
  /** Pages whose time to be tried again has come. */
  readonly #again: Tries[] = [];
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
      const tries = this.#again.shift() ?? { attempts: 0, refusals: 0 };
      const outcome = this.#origin.answer(tries.attempts === 0);
      setTimeout(() => {
        permit.done({ ...outcome, again: tries.attempts > 0 });
        if ('status' in outcome && outcome.status !== 200) this.#failed(tries, outcome.retryAfterSeconds);
        this.#pump();
      }, this.#origin.latencyMs);
    }
  }

  #failed(before: Tries, retryAfterSeconds?: number): void {
    const isRefused = this.#run.isOverloaded(this.#host);
    const tries = { attempts: before.attempts + 1, refusals: before.refusals + (isRefused ? 1 : 0) };
    if (areUsedUp(tries, attempts)) {
      this.lost++;
      return;
    }
    setTimeout(
      () => {
        this.#again.push(tries);
        this.#pump();
      },
      retryMs(isRefused ? tries.refusals : tries.attempts - tries.refusals, retryAfterSeconds),
    );
  }
}
