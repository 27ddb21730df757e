import { type Queryable, run, statement } from '../database/statement.ts';
import { deleteContentsLeftBehind } from '../frontier/delete-contents.ts';
import { deleteCrawl } from '../frontier/delete-crawl.ts';

/*
 * Walks the primary key up to the id that a job created at the cutoff would have: ids are in the order of creation, and
 * a job that finished before the cutoff was created before it. So pruning needs no index of its own.
 */
export const findPrunableStatement = statement<{ id: string; prunable: boolean }>(
  'find-prunable',
  `
SELECT id, completed_at < now() - make_interval(days => $2) IS TRUE AS prunable FROM crawl_jobs
WHERE id > $1 AND id < rpad(
  lpad(to_hex((extract(epoch FROM now() - make_interval(days => $2)) * 1000)::bigint), 12, '0'), 32, '0')::uuid
ORDER BY id LIMIT $3`,
);

export const pruneStatement = statement<{ id: string }>(
  'prune',
  `
WITH pruned AS (
  DELETE FROM crawl_jobs WHERE id = ANY (ARRAY(
    SELECT job.id FROM crawl_jobs job
    WHERE job.id = ANY ($1::uuid[]) AND job.completed_at < now() - make_interval(days => $2)
      AND job.status::text IN ('completed', 'failed', 'cancelled', 'expired')
    FOR UPDATE SKIP LOCKED))
  RETURNING id
),
event AS (
  DELETE FROM job_events WHERE job_id = ANY (ARRAY(SELECT id FROM pruned))
),
submission AS (
  DELETE FROM bot_submissions WHERE job_id = ANY (ARRAY(SELECT id FROM pruned))
),
suspect AS (
  DELETE FROM crawl_suspects WHERE job_id = ANY (ARRAY(SELECT id FROM pruned))
)
SELECT id FROM pruned`,
);

/*
 * Crawls whose job is gone, unless one that is compared with them is not through yet. Asked after the jobs' rows were
 * deleted: whoever chose one as baseline before that has committed, and who comes later finds it gone.
 */
const orphanedStatement = statement<{ id: string }>(
  'find-orphaned-crawls',
  `
SELECT job_id AS id FROM crawl_states state
WHERE NOT EXISTS (SELECT FROM crawl_jobs WHERE id = state.job_id) AND NOT EXISTS (
  SELECT FROM crawl_states later JOIN crawl_jobs job ON job.id = later.job_id
  WHERE later.baseline = state.job_id AND job.status::text <> 'completed')
LIMIT 1000`,
);

const nil = '00000000-0000-0000-0000-000000000000';

/** Deletes finished jobs, their events and their pages after the retention time, a batch at a time. */
export async function pruneJobs(
  db: Queryable,
  retentionDays: number,
  { batch = 1000, signal }: { batch?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const pruned = retentionDays === 0 ? 0 : await pruneRows(db, retentionDays, batch, signal);
  // What a crash leaves behind here is swept next time.
  let orphans = await run(db, orphanedStatement);
  if (orphans.length === 0) return pruned;
  while (orphans.length > 0 && !signal?.aborted) {
    for (const { id } of orphans) await deleteCrawl(db, id);
    orphans = await run(db, orphanedStatement);
  }
  await deleteContentsLeftBehind(db);
  return pruned;
}

async function pruneRows(
  db: Queryable,
  retentionDays: number,
  batch: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let pruned = 0;
  let after = nil;
  while (!signal?.aborted) {
    const found = await run(db, findPrunableStatement, [after, retentionDays, batch]);
    const prunable = found.filter((job) => job.prunable);
    const gone = await run(db, pruneStatement, [prunable.map(({ id }) => id), retentionDays]);
    pruned += gone.length;
    if (found.length < batch) break;
    after = found.at(-1)?.id ?? after;
  }
  return pruned;
}
