import { type Queryable, run, statement } from '../../base/database/statement.ts';

const urlStatement = statement<{ url: string }>(
  'url-of-page',
  `SELECT url FROM crawl_pages WHERE job_id = $1 AND page_no = $2 AND outcome = 'fetched'`,
);

/** The URL of the fetched page with this number, if there is one. */
export async function urlOfPage(db: Queryable, jobId: string, pageNo: number): Promise<string | undefined> {
  return (await run(db, urlStatement, [jobId, pageNo]))[0]?.url;
}
