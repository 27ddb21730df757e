import { crawlTables } from '../../base/database/crawl-tables.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { ofThisJob } from '../frontier/of-this-job.ts';
import { deleteContents } from './delete-contents.ts';

/** By ctid and in batches: a crawl may have millions of rows, and nobody should wait for their removal. */
const batch = 5_000;

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

/** Deletes everything that a finished crawl stored, but for content that later crawls share. It can be repeated. */
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
