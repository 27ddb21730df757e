import type pg from 'pg';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Queryable } from './statement.ts';

interface Session {
  readonly client: Promise<pg.PoolClient>;
  users: number;
  broken: boolean;
}

/**
 * Sends statements one after the other on the same connection, without waiting for the answers. The server starts each as soon
 * as the previous one is committed, so that they never wait for each other's locks. Each is its own transaction. An idle pipeline
 * holds no connection.
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
      // After any error the next statement gets another connection.
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
