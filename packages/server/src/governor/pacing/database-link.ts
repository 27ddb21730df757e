import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { DatabaseClock } from './database-clock.ts';

export interface Heard<Row> {
  readonly rows: Row[];
  /** Monotonic, before the question left. */
  readonly sentAt: number;
}

/**
 * How a governor asks the database: every answer teaches the clock, and a database that is away is told of once and
 * waited for.
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

  /** A running mean. */
  get roundTripMs(): number {
    return this.#roundTripMs;
  }

  /** Asks nothing more, and waits for what was asked: afterwards the pool may end. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#asking);
  }

  /** Undefined: the database did not answer, or is not asked any more. */
  async ask<Row extends { readonly now_ms: number }>(
    question: (db: Queryable) => Promise<Row | undefined | Row[]>,
  ): Promise<Heard<Row> | undefined> {
    if (this.#closed) return undefined;
    const sentAt = this.now();
    const asking = question(this.#db);
    this.#asking.add(asking);
    try {
      const answer = await asking;
      const receivedAt = this.now();
      const rows = Array.isArray(answer) ? answer : answer ? [answer] : [];
      const [row] = rows;
      if (row) this.clock.hear(sentAt, row.now_ms, receivedAt);
      this.#roundTripMs += (receivedAt - sentAt - this.#roundTripMs) / 8;
      if (this.#away) this.#log.info('The governor reaches the database again');
      this.#away = false;
      return { rows, sentAt };
    } catch (error) {
      if (!this.#away)
        this.#log.warn({ err: error }, 'The governor cannot reach the database; it keeps trying');
      this.#away = true;
      return undefined;
    } finally {
      this.#asking.delete(asking);
    }
  }
}
