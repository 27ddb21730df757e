import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';

export interface Answer<Row> {
  readonly rows: Row[];
  /** Monotonic time before the query was sent. */
  readonly sentAt: number;
}

/**
 * A governor's queries to the database. Every answer adjusts the clock. An outage is logged once, and callers try again.
 */
export class DatabaseLink {
  readonly clock = new DatabaseClock();
  readonly now: () => number;
  readonly #db: Queryable;
  readonly #log: Logger;
  readonly #asking = new Set<Promise<unknown>>();
  #roundTripMs = 5;
  #away = false;
  #closed = false;

  constructor(db: Queryable, log: Logger, now: () => number) {
    this.#db = db;
    this.#log = log;
    this.now = now;
  }

  /** Running mean. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Refuses new queries and waits for the running ones; afterwards the pool may end. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#asking);
  }

  /** Undefined if the database did not answer, or the link is closed. */
  async ask<Row extends { readonly now_ms: number }>(
    query: (db: Queryable) => Promise<Row | undefined | Row[]>,
  ): Promise<Answer<Row> | undefined> {
    if (this.#closed) return undefined;
    const sentAt = this.now();
    const asking = query(this.#db);
    this.#asking.add(asking);
    try {
      const answer = await asking;
      const receivedAt = this.now();
      const rows = Array.isArray(answer) ? answer : answer ? [answer] : [];
      const [row] = rows;
      if (row) this.clock.observe(sentAt, row.now_ms, receivedAt);
      this.#roundTripMs += (receivedAt - sentAt - this.#roundTripMs) / 8;
      if (this.#away) this.#log.info('The governor is connected to the database again');
      this.#away = false;
      return { rows, sentAt };
    } catch (error) {
      if (!this.#away) this.#log.warn({ err: error }, 'The governor cannot reach the database; trying again');
      this.#away = true;
      return undefined;
    } finally {
      this.#asking.delete(asking);
    }
  }
}

/** Clocks of ordinary machines drift by less than this. */
const driftPerMs = 2e-4;

/**
 * Maps times of the database's clock to this process's monotonic clock. Each answer contains the database's time at some moment
 * between query and answer; together they narrow the offset down, so that one slow round trip does no harm. The remaining
 * uncertainty always counts against this process.
 */
export class DatabaseClock {
  /** Bounds of the offset, monotonic minus database. */
  #lower = Number.NEGATIVE_INFINITY;
  #upper = Number.POSITIVE_INFINITY;
  #observedAt = 0;

  observe(sentAt: number, databaseMs: number, receivedAt: number): void {
    const slack = (receivedAt - this.#observedAt) * driftPerMs;
    const lower = Math.max(this.#lower - slack, sentAt - databaseMs);
    const upper = Math.min(this.#upper + slack, receivedAt - databaseMs);
    this.#observedAt = receivedAt;
    // Contradicting answers: the clock was set, or belongs to another server. Only the newest counts.
    const agrees = lower <= upper;
    this.#lower = agrees ? lower : sentAt - databaseMs;
    this.#upper = agrees ? upper : receivedAt - databaseMs;
  }

  /** The monotonic time at which a time of the database has certainly passed. */
  latest(databaseMs: number): number {
    return databaseMs + this.#upper;
  }

  get uncertaintyMs(): number {
    return this.#upper - this.#lower;
  }
}
