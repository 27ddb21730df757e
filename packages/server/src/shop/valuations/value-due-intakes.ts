import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { valueIntake } from './value-intake.ts';

const batch = 100;

const dueStatement = statement<{ id: string; currency: string | null }>(
  'lock-due-intakes',
  'SELECT id, currency FROM intakes WHERE valuation_due ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED',
);

/** Values what is due, a batch in a transaction; any number of workers may do it at once. Answers with how many it valued. */
export async function valueDueIntakes(pool: pg.Pool, signal?: AbortSignal): Promise<number> {
  let valued = 0;
  while (!signal?.aborted) {
    const done = await inTransaction(pool, async (db) => {
      const due = await run(db, dueStatement, [batch]);
      for (const intake of due) await valueIntake(db, intake);
      return due.length;
    });
    valued += done;
    if (done < batch) break;
  }
  return valued;
}
