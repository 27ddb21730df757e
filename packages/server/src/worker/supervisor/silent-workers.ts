import type { Logger } from 'pino';
import { type Queryable, readNow } from '../../base/database/statement.ts';
import { takeOver } from './recover-dead-workers.ts';
import type { KnownWorker } from './register-worker.ts';
import { proofSeconds, SteadyWait } from './steady-wait.ts';

interface Watcher {
  readonly db: Queryable;
  readonly log: Logger;
  readonly workerId: string;
  readonly heartbeatSeconds: number;
}

/** Workers near by whose processes cannot be seen from here. The dead are those that give no sign of life from now on. */
export class SilentWorkers {
  readonly #watcher: Watcher;
  readonly #wait: SteadyWait;
  #watched: readonly KnownWorker[];

  constructor(watcher: Watcher, workers: readonly KnownWorker[]) {
    this.#watcher = watcher;
    this.#watched = workers;
    this.#wait = new SteadyWait(watcher.heartbeatSeconds);
    const [first] = workers;
    if (first) this.#wait.reached(first.readAt);
  }

  /** A heartbeat of ours arrived. Takes over from those that have been silent for long enough; true when there were any. */
  async beat(): Promise<boolean> {
    if (this.#watched.length === 0) return false;
    const { db, log, workerId, heartbeatSeconds } = this.#watcher;
    const waited = this.#wait.reached((await readNow(db)).getTime() / 1000);
    const isDue = (worker: KnownWorker) => waited >= proofSeconds(worker, heartbeatSeconds);
    const due = this.#watched.filter(isDue);
    if (due.length === 0) return false;
    await takeOver(db, log, workerId, due);
    // Only now: when that fails, it is tried again with the next heartbeat.
    this.#watched = this.#watched.filter((worker) => !isDue(worker));
    return true;
  }

  /** A heartbeat of ours did not arrive: theirs could not either. */
  missed(): void {
    this.#wait.missed();
  }
}
