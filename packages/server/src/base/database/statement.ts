import type pg from 'pg';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** A pool, or a client inside a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>;
}

/** Static SQL text under the name it has in logs and among PostgreSQL's prepared statements. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string;
  readonly text: string;
  /** Carries the type of the row; never set. */
  readonly row?: Row;
}

export function statement<Row extends QueryResultRow>(name: string, text: string): Statement<Row> {
  return { name, text };
}

/** Runs a statement; a deadlock or serialization failure rolled it back whole, so it is repeated. */
export async function run<Row extends QueryResultRow>(
  db: Queryable,
  { name, text }: Statement<Row>,
  values: unknown[] = [],
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.query<Row>({ name, text, values })).rows;
    } catch (error) {
      if (attempt === maxAttempts || !isRolledBack(error)) throw error;
    }
  }
}

/** Does the work in one transaction, and repeats it after a deadlock or serialization failure. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (db: Queryable) => Promise<Result>,
  { lockTimeoutMs }: { readonly lockTimeoutMs?: number } = {},
): Promise<Result> {
  const begin = lockTimeoutMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`;
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(pool, begin, work);
    } catch (error) {
      // Work that goes on after the failed statement meets in_failed_sql_transaction.
      const canRepeat = isRolledBack(error) || codeOf(error) === '25P02';
      if (attempt === maxAttempts || !canRepeat) throw error;
    }
  }
}

async function attemptTransaction<Result>(
  pool: pg.Pool,
  begin: string,
  work: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query(begin);
    const result = await work(client as Queryable);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const maxAttempts = 5;
const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

/** deadlock_detected or serialization_failure. */
const isRolledBack = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error));

const nowStatement = statement<{ now: Date }>('database-time', 'SELECT now()');

/** The database's time. Moments that are stored and compared there must not come from the clock of this machine. */
export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await run(db, nowStatement);
  if (!row) throw new Error('the database returned no time');
  return row.now;
}
