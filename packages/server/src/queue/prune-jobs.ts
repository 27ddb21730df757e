import { type Queryable, run, statement } from '../database/statement.ts';
import { deleteCrawl } from '../frontier/delete-crawl.ts';

/*
 * Walks the primary key up to the id that a job created at the cutoff would have: ids are in the order of creation, and
 * a job that finished before the cutoff was created before it. So pruning needs no index of its own.
 */
export const findPrunableStatement = statement<{ id: string; kind: string; prunable: boolean }>(
  'find-prunable',
  `
SELECT id, kind, completed_at < now() - make_interval(days => $2) IS TRUE AS prunable FROM crawl_jobs
WHERE id > $1 AND id < rpad(
  lpad(to_hex((extract(epoch FROM now() - make_interval(days => $2)) * 1000)::bigint), 12, '0'), 32, '0')::uuid
ORDER BY id LIMIT $3`,
);

export const pruneStatement = statement<{ id: string; kind: string }>(
  'prune',
  `
WITH pruned AS (
  DELETE FROM crawl_jobs WHERE id = ANY (ARRAY(
    SELECT job.id FROM crawl_jobs job
    WHERE job.id = ANY ($1::uuid[]) AND job.completed_at < now() - make_interval(days => $2)
      AND job.status::text IN ('completed', 'failed', 'cancelled', 'expired')
    FOR UPDATE SKIP LOCKED))
  RETURNING id, kind
),
event AS (
  DELETE FROM job_events WHERE job_id = ANY (ARRAY(SELECT id FROM pruned))
)
SELECT id, kind FROM pruned`,
);

/** Crawls whose job is gone: a process died between the two. */
const orphanedStatement = statement<{ id: string }>(
  'find-orphaned-crawls',
  `SELECT job_id AS id FROM crawl_states state
   WHERE NOT EXISTS (SELECT FROM crawl_jobs WHERE id = state.job_id) LIMIT 1000`,
);

const nil = '00000000-0000-0000-0000-000000000000';

/** Deletes finished jobs, their events and their pages after the retention time, a batch at a time. */
export async function pruneJobs(
  db: Queryable,
  retentionDays: number,
  { batch = 1000, signal }: { batch?: number; signal?: AbortSignal } = {},
): Promise<number> {
  for (const { id } of await run(db, orphanedStatement)) await deleteCrawl(db, id);
  if (retentionDays === 0) return 0;
  let pruned = 0;
  let after = nil;
  while (!signal?.aborted) {
    const found = await run(db, findPrunableStatement, [after, retentionDays, batch]);
    const prunable = found.filter((job) => job.prunable);
    const gone = await run(db, pruneStatement, [prunable.map(({ id }) => id), retentionDays]);
    pruned += gone.length;
    // After the job: one that was retried meanwhile keeps its pages. What a crash leaves behind is swept next time.
    for (const { id, kind } of gone) if (kind === 'crawl') await deleteCrawl(db, id);
    if (found.length < batch) break;
    after = found.at(-1)?.id ?? after;
  }
  return pruned;
}
