import { type Queryable, run, statement } from '../../database/statement.ts';

const refusedStatement = statement<{ url: string; message: string | null }>(
  'find-refused-page',
  `
SELECT url, message FROM crawl_pages WHERE job_id = $1 AND outcome = 'failed' AND reason = 'address_forbidden'
ORDER BY fetched_at DESC LIMIT 1`,
);

/** The origin that a crawl was not let fetch: where its seed or its robots.txt led, which need not be where it began. */
export async function findRefusedOrigin(db: Queryable, jobId: string): Promise<string | undefined> {
  const [page] = await run(db, refusedStatement, [jobId]);
  const led = /\/robots\.txt leads to (\S+)$/.exec(page?.message ?? '')?.[1];
  return page && (led ?? new URL(page.url).origin);
}
