import { type Queryable, run, statement } from '../database/statement.ts';

const pruneStatement = statement<{ pruned: number }>(
  'prune-sources',
  `
WITH robots AS (
  DELETE FROM robots_cache WHERE expires_at < now() - make_interval(days => $1)
),
pruned AS (
  DELETE FROM sources WHERE NOT configured AND paused_until IS NULL
    AND greatest(created_at, last_success_at, last_failure_at) < now() - make_interval(days => $1)
  RETURNING id
)
SELECT count(*) AS pruned FROM pruned`,
);

/** Forgets hosts that nobody configured and nobody has asked for in so many days, and robots.txt that expired then. */
export async function pruneSources(db: Queryable, days: number): Promise<number> {
  const [row] = await run(db, pruneStatement, [days]);
  return row?.pruned ?? 0;
}
