import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';

/** Fenced: a holder that lost its lease writes nothing. Rendering a page again replaces its screenshot. */
const keepStatement = statement(
  'keep-screenshot',
  `INSERT INTO crawl_screenshots (job_id, url_hash, picture)
   SELECT id, $3, $4 FROM crawl_jobs WHERE id = $1 AND fence = $2 AND status = 'processing'
   ON CONFLICT (job_id, url_hash) DO UPDATE SET picture = excluded.picture, taken_at = now()`,
);

export async function keepScreenshot(
  { db, job }: { readonly db: Queryable; readonly job: HeldJob },
  { url_hash }: { readonly url_hash: string },
  picture: Buffer,
): Promise<void> {
  await run(db, keepStatement, [job.id, job.fence, url_hash, picture]);
}
