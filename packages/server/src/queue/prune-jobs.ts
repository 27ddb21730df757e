import { type Queryable, run, statement } from '../database/statement.ts';

/*
 * Walks the primary key up to the id that a job created at the cutoff would have: ids are in the order of creation, and
 * a job that finished before the cutoff was created before it. So pruning needs no index of its own.
 */
export const pruneStatement = statement<{ last_id: string | null; examined: number; pruned: number }>(
  'prune',
  `
WITH examined AS MATERIALIZED (
  SELECT id FROM crawl_jobs
  WHERE id > $1 AND id < rpad(
    lpad(to_hex((extract(epoch FROM now() - make_interval(days => $2)) * 1000)::bigint), 12, '0'), 32, '0')::uuid
  ORDER BY id LIMIT $3
),
pruned AS (
  DELETE FROM crawl_jobs WHERE id = ANY (ARRAY(
    SELECT job.id FROM crawl_jobs job
    WHERE job.id = ANY (ARRAY(SELECT id FROM examined)) AND job.completed_at < now() - make_interval(days => $2)
      AND job.status::text IN ('completed', 'failed', 'cancelled', 'expired')
    FOR UPDATE SKIP LOCKED))
  RETURNING id
),
event AS (
  DELETE FROM job_events WHERE job_id = ANY (ARRAY(SELECT id FROM pruned))
)
SELECT (SELECT id FROM examined ORDER BY id DESC LIMIT 1) AS last_id, (SELECT count(*) FROM examined) AS examined,
  (SELECT count(*) FROM pruned) AS pruned`,
);

const nil = '00000000-0000-0000-0000-000000000000';

/** Deletes finished jobs and their events after the retention time, a batch at a time so that nobody waits for it. */
export async function pruneJobs(
  db: Queryable,
  retentionDays: number,
  { batch = 1000, signal }: { batch?: number; signal?: AbortSignal } = {},
): Promise<number> {
  if (retentionDays === 0) return 0;
  let pruned = 0;
  let after = nil;
  while (!signal?.aborted) {
    const [row] = await run(db, pruneStatement, [after, retentionDays, batch]);
    pruned += row?.pruned ?? 0;
    if (!row?.last_id || row.examined < batch) break;
    after = row.last_id;
  }
  return pruned;
}
