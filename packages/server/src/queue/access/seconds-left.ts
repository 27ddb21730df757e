import { type Queryable, run, statement } from '../../base/database/statement.ts';

const secondsLeftStatement = statement<{ seconds: number }>(
  'seconds-left-of-window',
  `SELECT ceil(extract(epoch FROM date_trunc($1, now(), 'UTC') + ('1 ' || $1)::interval - now()))::integer AS seconds`,
);

/** Until the next window of a quota begins, by the clock that counts. */
export async function secondsLeft(db: Queryable, window: 'minute' | 'day'): Promise<number> {
  const [left] = await run(db, secondsLeftStatement, [window]);
  return Math.max(1, left?.seconds ?? 1);
}
