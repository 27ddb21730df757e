import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { recoverDeadWorkers, SilentWorkers, takeOver } from './dead-workers.ts';
import {
  type Beat,
  type Registration,
  registerWorker,
  reportWorker,
  unregisterWorkers,
} from './register-worker.ts';

/** This worker's row in the table of workers, which tells others that it lives, and its watch over theirs. */
export class WorkerPresence {
  readonly #db: Queryable;
  readonly #log: Logger;
  readonly #registration: Registration;
  #silent: SilentWorkers | undefined;
  #isEntered = false;
  #hasNamesake = false;

  constructor(db: Queryable, log: Logger, registration: Registration) {
    this.#db = db;
    this.#log = log;
    this.#registration = registration;
  }

  get isEntered(): boolean {
    return this.#isEntered;
  }

  /** Takes over from dead workers and enters this one. */
  async enter(): Promise<void> {
    const { id: workerId, heartbeatSeconds } = this.#registration;
    const db = this.#db;
    const log = this.#log;
    // First: under a fixed name, our row is about to replace that of a dead worker.
    const silent = await recoverDeadWorkers(db, log, workerId);
    await registerWorker(db, this.#registration, (dead) => takeOver(db, log, workerId, dead));
    this.#isEntered = true;
    this.#silent = new SilentWorkers({ db, log, workerId, heartbeatSeconds }, silent);
  }

  /** Sends a heartbeat. */
  async report(beat: Beat): Promise<void> {
    const isOurs = await reportWorker(this.#db, this.#registration, beat);
    if (!isOurs && !this.#hasNamesake)
      this.#log.error(
        `Another worker now has the id ${this.#registration.id}; give each worker its own WORKER_ID, or leave it unset`,
      );
    this.#hasNamesake = !isOurs;
  }

  /** After a heartbeat that arrived. Returns whether jobs of silent workers were taken over. */
  async judgeSilent(): Promise<boolean> {
    try {
      return (await this.#silent?.beat()) ?? false;
    } catch (error) {
      this.#log.warn(
        { err: error },
        'Could not take over from silent workers; the next heartbeat tries again',
      );
      return false;
    }
  }

  /** After a heartbeat that did not arrive. */
  missed(): void {
    this.#silent?.missed();
  }

  async leave(): Promise<void> {
    if (this.#isEntered) await unregisterWorkers(this.#db, [this.#registration.id]).catch(() => {});
  }
}
