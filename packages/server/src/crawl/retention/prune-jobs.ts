import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { inBatches } from '../../queue/jobs/delete-job.ts';
import { deleteOrphans } from './delete-orphans.ts';

/*
 * Scans the primary key up to the id of a job created at the cutoff: ids are in order of creation (ADR 25), and a job that finished
 * before the cutoff was created before it. So pruning needs no index of its own.
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
  DELETE FROM crawl_jobs WHERE ${inBatches} AND id = ANY (ARRAY(
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

const nil = '00000000-0000-0000-0000-000000000000';

/** Deletes finished jobs, their events and their pages after the retention time, in batches. */
export async function pruneJobs(
  db: Queryable,
  retentionDays: number,
  { batch = 1000, signal }: { batch?: number; signal?: AbortSignal } = {},
): Promise<number> {
  const pruned = retentionDays === 0 ? 0 : await pruneRows(db, retentionDays, batch, signal);
  await deleteOrphans(db, signal);
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
