import pg, { type QueryConfig } from 'pg';
import { vi } from 'vitest';
import type { Queryable } from '../../../base/database/statement.ts';
import { valueParsers } from '../../../base/database/wire-values.ts';

const realImmediate = setImmediate;
const turn = () => new Promise<void>((resolve) => realImmediate(resolve));

/**
 * Virtual time for this process's timers and the database. It advances only when nothing is left to do, so minutes take
 * a second and the outcome does not depend on the speed of the machine.
 */
export class VirtualTime {
  readonly #client: pg.Client;
  #asking = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** `close` gives the real time back. */
  static async start(url: string): Promise<VirtualTime> {
    const client = new pg.Client({
      connectionString: url,
      types: valueParsers,
      pipeline: true,
    } as pg.ClientConfig);
    await client.connect();
    // Statements and the functions they use look names up on this path: these clocks come before the real ones.
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS virtual;
      CREATE OR REPLACE FUNCTION virtual.now() RETURNS timestamptz LANGUAGE sql STABLE AS
        $$ SELECT to_timestamp(current_setting('virtual.ms')::float8 / 1000) $$;
      CREATE OR REPLACE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
        $$ SELECT virtual.now() $$;
      SET search_path = virtual, pg_catalog, public`);
    const tomorrow = Math.ceil(Date.now() / 1000) * 1000 + 86_400_000;
    vi.useFakeTimers({
      now: tomorrow,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    });
    return new VirtualTime(client);
  }

  readonly now = (): number => Date.now();

  /** One connection: what is asked first is answered first. */
  readonly db: Queryable = {
    query: async <Row extends pg.QueryResultRow>(query: QueryConfig) => {
      this.#asking++;
      try {
        const clock = { name: 'set-clock', text: `SELECT set_config('virtual.ms', $1, false)` };
        void this.#client.query({ ...clock, values: [String(Date.now())] });
        return await this.#client.query<Row>(query);
      } finally {
        this.#asking--;
      }
    },
  };

  async pass(seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      await this.#settle();
      if (Date.now() >= end) return;
      if (vi.getTimerCount() === 0) vi.setSystemTime(end);
      else vi.advanceTimersToNextTimer();
    }
  }

  async close(): Promise<void> {
    vi.useRealTimers();
    await this.#client.end();
  }

  async #settle(): Promise<void> {
    do await turn();
    while (this.#asking > 0);
    await turn();
  }
}
