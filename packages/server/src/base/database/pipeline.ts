import type pg from 'pg';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Queryable } from './statement.ts';

interface Session {
  readonly client: Promise<pg.PoolClient>;
  users: number;
  broken: boolean;
}

/**
 * Statements that are sent while others are under way go behind them on the same connection. The server begins each as soon as
 * the one before is committed, without waiting for its answer to be read here, and two of them never wait for each other's
 * locks. Each is a transaction of its own. While nothing is under way, no connection is held.
 */
export class Pipeline implements Queryable {
  readonly #pool: pg.Pool;
  #session: Session | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> {
    this.#session ??= { client: this.#pool.connect(), users: 0, broken: false };
    const session = this.#session;
    session.users++;
    try {
      const client = await session.client;
      return await client.query<Row>(query);
    } catch (error) {
      // Whatever is wrong with it, the next statement gets another connection.
      session.broken = true;
      this.#leave(session);
      throw error;
    } finally {
      session.users--;
      if (session.users === 0) {
        this.#leave(session);
        session.client.then(
          (client) => client.release(session.broken),
          () => undefined,
        );
      }
    }
  }

  #leave(session: Session): void {
    if (this.#session === session) this.#session = undefined;
  }
}
