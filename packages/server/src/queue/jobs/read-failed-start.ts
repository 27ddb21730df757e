import type { ShownJob } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

export type FailedStart = NonNullable<ShownJob['failed_start']>;

const failedStartStatement = statement<FailedStart>(
  'read-failed-start',
  `
SELECT failed_start_worker AS worker_id, failed_starts AS count FROM crawl_jobs
WHERE id = $1 AND failed_starts > 0 AND failed_start_worker IS NOT NULL`,
);

/** The worker whose runners died before the job's first request, as long as no page has been saved since. */
export async function readFailedStart(db: Queryable, jobId: string): Promise<FailedStart | null> {
  const [found] = await run(db, failedStartStatement, [jobId]);
  return found ?? null;
}
