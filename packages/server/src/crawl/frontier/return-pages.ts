import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';
import { returnedPages } from './returned-pages.ts';

export const returnPagesStatement = statement<{ returned: number }>(
  'return-pages',
  `
WITH job AS MATERIALIZED (
  SELECT id FROM crawl_jobs WHERE id = $1 AND fence = $4 AND status::text = 'processing' FOR NO KEY UPDATE
),
${returnedPages}
SELECT (SELECT count(*) FROM returned) AS returned FROM job`,
);

/** A run that fetched nothing is to be tried again: what failed for these reasons goes back into the frontier. */
export async function returnPages(db: Queryable, job: HeldJob, reasons: readonly string[]): Promise<number> {
  const [row] = await run(db, returnPagesStatement, [job.id, null, reasons, job.fence]);
  if (!row) throw new HoldfastError('lease_lost', `job ${job.id}, fence ${job.fence}`);
  return row.returned;
}
