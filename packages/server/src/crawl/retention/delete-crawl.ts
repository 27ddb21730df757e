import { crawlTables, ofThisJob } from '../../base/database/crawl-tables.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** Rows per statement: a crawl may have millions, and other statements must not wait for their removal. */
const batch = 5_000;
const nil = '00000000-0000-0000-0000-000000000000';

const deleteStatements = crawlTables
  .filter((table) => table !== 'crawl_page_contents')
  .map((table) =>
    statement<{ deleted: number }>(
      `delete-${table}`,
      `
WITH deleted AS (
  DELETE FROM ${table}
  WHERE ${ofThisJob('job_id')} AND ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE job_id = $1 LIMIT $2)) RETURNING 1
)
SELECT count(*) AS deleted FROM deleted`,
    ),
  );

/** Deletes everything that a finished crawl stored, except content that later crawls share. It can be repeated. */
export async function deleteCrawl(db: Queryable, jobId: string, signal?: AbortSignal): Promise<void> {
  await deleteContents(db, jobId, signal);
  for (const deleteStatement of deleteStatements) {
    for (;;) {
      if (signal?.aborted) return;
      const [row] = await run(db, deleteStatement, [jobId, batch]);
      if ((row?.deleted ?? 0) < batch) break;
    }
  }
}

const deleteStatement = statement<{ last: string | null; seen: number }>(
  'delete-contents',
  `
WITH stretch AS MATERIALIZED (
  SELECT url_hash FROM crawl_page_contents WHERE job_id = $1 AND url_hash > $2 ORDER BY url_hash LIMIT $3
),
deleted AS (
  DELETE FROM crawl_page_contents content USING stretch
  WHERE content.job_id = $1 AND content.url_hash = stretch.url_hash AND NOT EXISTS (
    SELECT FROM crawl_pages page WHERE page.content_job = $1 AND page.url_hash = stretch.url_hash)
)
SELECT (SELECT url_hash FROM stretch ORDER BY url_hash DESC LIMIT 1) AS last, count(*) AS seen FROM stretch`,
);

/** Contents of deleted jobs that other jobs shared. Skips from job to job along the key. */
const leftBehindStatement = statement<{ job_id: string }>(
  'find-contents-left-behind',
  `
WITH RECURSIVE owner (job_id) AS (
  (SELECT job_id FROM crawl_page_contents ORDER BY job_id LIMIT 1)
  UNION ALL
  SELECT next.job_id FROM owner CROSS JOIN LATERAL (
    SELECT job_id FROM crawl_page_contents WHERE job_id > owner.job_id ORDER BY job_id LIMIT 1
  ) next
)
SELECT job_id FROM owner WHERE NOT EXISTS (SELECT FROM crawl_states state WHERE state.job_id = owner.job_id)`,
);

/** Deletes the contents of a job that no page of another job shares. */
export async function deleteContents(db: Queryable, jobId: string, signal?: AbortSignal): Promise<void> {
  for (let after = nil; !signal?.aborted; ) {
    const [row] = await run(db, deleteStatement, [jobId, after, batch]);
    if (!row || row.last === null || row.seen < batch) return;
    after = row.last;
  }
}

/** Deletes the contents of deleted jobs that are no longer shared. */
export async function deleteContentsLeftBehind(db: Queryable): Promise<void> {
  for (const { job_id } of await run(db, leftBehindStatement)) await deleteContents(db, job_id);
}
