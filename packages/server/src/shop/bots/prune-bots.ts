import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** A pull is repeated within moments, and its jobs are gone after a day at the latest. */
const keepPullsHours = 24;
const keepHoursDays = 90;

const pruneStatement = statement<never>(
  'prune-bots',
  `
WITH pulls AS (
  DELETE FROM bot_pulls WHERE at < now() - make_interval(hours => $1)
)
DELETE FROM bot_hours WHERE hour < now() - make_interval(days => $2)`,
);

/** Forgets the answers to old pulls, and what bots did in hours long past. Submissions go with their jobs. */
export async function pruneBots(db: Queryable): Promise<void> {
  await run(db, pruneStatement, [keepPullsHours, keepHoursDays]);
}
