import { type Queryable, run, statement } from '../../base/database/statement.ts';

const refusedStatement = statement<{ message: string | null; url: string | null }>(
  'find-refused-origin',
  `
SELECT error_message AS message, (
  SELECT url FROM crawl_pages WHERE job_id = job.id AND outcome = 'failed' AND reason = 'address_forbidden'
  ORDER BY fetched_at DESC LIMIT 1) AS url
FROM crawl_jobs job WHERE id = $1`,
);

/** The origin that a crawl was not let fetch: where its seed or its robots.txt led, which need not be where it began. */
export async function findRefusedOrigin(db: Queryable, jobId: string): Promise<string | undefined> {
  const [job] = await run(db, refusedStatement, [jobId]);
  const named = /https?:\/\/\S+$/.exec(job?.message ?? '')?.[0];
  return named ?? (job?.url ? new URL(job.url).origin : undefined);
}
