import type pg from 'pg';
import type { Queryable } from './statement.ts';

/** deadlock_detected and serialization_failure undo the whole transaction; the last is what a statement after them says. */
const undone = new Set(['40P01', '40001', '25P02']);
const repeats = 5;

/** Does the work in one transaction, and again if PostgreSQL undid it for the sake of another. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (db: Queryable) => Promise<Result>,
  { lockTimeoutMs }: { readonly lockTimeoutMs?: number } = {},
): Promise<Result> {
  const begin = lockTimeoutMs === undefined ? 'BEGIN' : `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(pool, begin, work);
    } catch (error) {
      if (attempt === repeats || !undone.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function once<Result>(
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
