import { type Queryable, run, statement } from '../../database/statement.ts';

const refusedStatement = statement<{ url: string }>(
  'find-refused-page',
  `
SELECT url FROM crawl_pages WHERE job_id = $1 AND outcome = 'failed' AND reason = 'address_forbidden'
ORDER BY fetched_at DESC LIMIT 1`,
);

/** The origin that a crawl was not let fetch: where its seed led, which need not be where it began. */
export async function findRefusedOrigin(db: Queryable, jobId: string): Promise<string | undefined> {
  const [page] = await run(db, refusedStatement, [jobId]);
  return page && new URL(page.url).origin;
}
