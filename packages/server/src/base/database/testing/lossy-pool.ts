import type pg from 'pg';
import type { QueryConfig } from 'pg';

export interface LossyLine {
  readonly pool: pg.Pool;
  /** How many times it has broken. */
  readonly breaks: number;
}

type Query = QueryConfig | string;

/**
 * A pool whose connection breaks the first time that a statement is sent on it: before it has reached the server, or when it
 * is done and its answer is on the way. The errors are the driver's own.
 */
export function lossyPool(pool: pg.Pool, statement: string, lost: 'question' | 'answer'): LossyLine {
  let breaks = 0;
  const isIt = (query: Query) =>
    breaks === 0 && (typeof query === 'string' ? query : query.name) === statement;

  async function breakOff(client: pg.PoolClient, query: Query) {
    breaks++;
    if (lost === 'answer') await client.query(query);
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    return await client.query(query);
  }

  const connect = async () => {
    const client = await pool.connect();
    return {
      query: (query: Query) => (isIt(query) ? breakOff(client, query) : client.query(query)),
      release: (broken?: boolean) => client.release(broken),
    };
  };
  const query = async (query: Query) => {
    const client = await connect();
    let broken = true;
    try {
      const result = await client.query(query);
      broken = false;
      return result;
    } finally {
      client.release(broken);
    }
  };
  return {
    pool: { connect, query } as unknown as pg.Pool,
    get breaks() {
      return breaks;
    },
  };
}
