import { type Queryable, run, statement } from './statement.ts';

const nowStatement = statement<{ now: Date }>('database-time', 'SELECT now()');

/** The database's time: what is written there and compared there must not come from the clock of this machine. */
export async function readNow(db: Queryable): Promise<Date> {
  const [row] = await run(db, nowStatement);
  if (!row) throw new Error('the database has no time');
  return row.now;
}
