import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { deleteContents, deleteContentsLeftBehind, deleteCrawl } from './delete-crawl.ts';

/*
 * Crawls whose job is deleted, unless an unfinished crawl is compared with them. Runs after the jobs' rows are deleted: a crawl that
 * chose one as its baseline before that has committed, and later ones find it gone.
 */
const orphaned = (condition: string) => `
SELECT job_id AS id FROM crawl_states state
WHERE ${condition} AND NOT EXISTS (SELECT FROM crawl_jobs WHERE id = state.job_id) AND NOT EXISTS (
  SELECT FROM crawl_states later JOIN crawl_jobs job ON job.id = later.job_id
  WHERE later.baseline = state.job_id AND job.status::text <> 'completed')
LIMIT 1000`;

const orphanedStatement = statement<{ id: string }>('find-orphaned-crawls', orphaned('true'));
const isOrphanedStatement = statement<{ id: string }>('find-orphaned-crawl', orphaned('state.job_id = $1'));

const goneOwnersStatement = statement<{ id: string }>(
  'find-gone-owners-of-content',
  `
SELECT id FROM (
  SELECT DISTINCT content_job AS id FROM crawl_pages WHERE job_id = $1 AND content_job IS NOT NULL
) owner WHERE NOT EXISTS (SELECT FROM crawl_states WHERE job_id = owner.id)`,
);

/**
 * Deletes a deleted job's data, in batches, and contents that only it still shared. False if something is left, because
 * an unfinished crawl compares with it or the signal was aborted; deleteOrphans deletes that later.
 */
export async function deleteOrphan(db: Queryable, id: string, signal?: AbortSignal): Promise<boolean> {
  const [orphan] = await run(db, isOrphanedStatement, [id]);
  if (!orphan) return !(await isStored(db, id));
  const owners = await run(db, goneOwnersStatement, [id]);
  await deleteCrawl(db, id, signal);
  for (const owner of owners) await deleteContents(db, owner.id, signal);
  return !signal?.aborted;
}

const storedStatement = statement<{ id: string }>(
  'find-stored-crawl',
  'SELECT job_id AS id FROM crawl_states WHERE job_id = $1',
);

async function isStored(db: Queryable, id: string): Promise<boolean> {
  return (await run(db, storedStatement, [id])).length > 0;
}

/** Deletes the data of deleted jobs. After a crash, the next call continues. */
export async function deleteOrphans(db: Queryable, signal?: AbortSignal): Promise<void> {
  let orphans = await run(db, orphanedStatement);
  if (orphans.length === 0) return;
  while (orphans.length > 0 && !signal?.aborted) {
    for (const { id } of orphans) await deleteCrawl(db, id, signal);
    orphans = await run(db, orphanedStatement);
  }
  await deleteContentsLeftBehind(db);
}
