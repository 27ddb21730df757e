import type { Queryable } from '../../base/database/statement.ts';

/**
 * `work`: jobs became ready. `requeued`: old ones did, which workers look for from the start of their lanes. `request`: a running job
 * was asked to pause or cancel. `policy`: a policy may be due. `source`: one was paused, resumed or changed.
 */
export const channels = {
  work: 'holdfast_work',
  requeued: 'holdfast_requeued',
  source: 'holdfast_source',
  request: 'holdfast_request',
  policy: 'holdfast_policy',
} as const;
export type Channel = keyof typeof channels;

/** NOTIFY inside jobs' transactions serialises their commits (measured: 7,500 tx/s fell to 2,200). */
const quietMs = 20;

/**
 * Wakes sleeping workers: after the commit, never inside it, and at most every 20 ms per channel. A notification may be
 * lost; workers poll as well, so only time is.
 */
export class Notifier {
  readonly #db: Queryable;
  readonly #quietUntil = new Map<Channel, number>();
  readonly #scheduled = new Map<Channel, Promise<void>>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Resolves when the notification that covers this call has been sent, by way of `db` if it is sent now, or could not be. */
  notify(channel: Channel, db = this.#db): Promise<void> {
    const scheduled = this.#scheduled.get(channel);
    if (scheduled) return scheduled;
    const wait = (this.#quietUntil.get(channel) ?? 0) - performance.now();
    if (wait <= 0) return this.#send(channel, db);
    const later = new Promise<void>((resolve) => {
      setTimeout(() => {
        this.#scheduled.delete(channel);
        resolve(this.#send(channel, this.#db));
      }, wait);
    });
    this.#scheduled.set(channel, later);
    return later;
  }

  async #send(channel: Channel, db: Queryable): Promise<void> {
    this.#quietUntil.set(channel, performance.now() + quietMs);
    // Polling finds what a lost notification would have announced.
    await db.query({ text: `NOTIFY ${channels[channel]}` }).catch(() => {});
  }
}
