import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Rows per statement, so that their locks are short: there may be one for every host ever crawled. */
const batch = 5_000;

const pruneSourcesStatement = statement<{ pruned: number }>(
  'prune-sources',
  `
WITH pruned AS (
  DELETE FROM sources WHERE id = ANY (ARRAY(
    SELECT id FROM sources WHERE NOT configured AND paused_until IS NULL
      AND greatest(created_at, last_success_at, last_failure_at) < now() - make_interval(days => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING id
)
SELECT count(*) AS pruned FROM pruned`,
);

const pruneRobotsStatement = statement<{ pruned: number }>(
  'prune-robots',
  `
WITH pruned AS (
  DELETE FROM robots_cache WHERE origin = ANY (ARRAY(
    SELECT origin FROM robots_cache WHERE expires_at < now() - make_interval(days => $1)
    LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING origin
)
SELECT count(*) AS pruned FROM pruned`,
);

/** Deletes sources that are not configured and were not used for so many days, and robots.txt that expired that long ago. */
export async function pruneSources(
  db: Queryable,
  days: number,
  { signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  if (days === 0) return 0;
  let sources = 0;
  for (const pruneStatement of [pruneRobotsStatement, pruneSourcesStatement]) {
    for (let pruned = batch; pruned === batch && !signal?.aborted; ) {
      pruned = (await run(db, pruneStatement, [days, batch]))[0]?.pruned ?? 0;
      if (pruneStatement === pruneSourcesStatement) sources += pruned;
    }
  }
  return sources;
}
