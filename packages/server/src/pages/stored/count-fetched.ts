import { type Queryable, run, statement } from '../../base/database/statement.ts';

const countStatement = statement<{ count: number }>(
  'count-fetched-pages',
  `SELECT count(*) AS count FROM crawl_pages WHERE job_id = $1 AND page_no <= $2 AND outcome = 'fetched'`,
);

/** How many pages of a job were fetched, up to and with the one of this number. */
export async function countFetched(db: Queryable, jobId: string, pageNo: number): Promise<number> {
  return (await run(db, countStatement, [jobId, pageNo]))[0]?.count ?? 0;
}
