import { foundByDiscovery } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { listErrors } from '../../pages/stored/list-errors.ts';

const countsStatement = statement<{ failed: number; skipped: number }>(
  'count-failed-and-skipped',
  'SELECT failed, skipped FROM crawl_states WHERE job_id = $1',
);

/** Whether pages of a crawl failed or were skipped. What discovery read or looked for is skipped as well, and is no page. */
export async function hasPagesToRetry(db: Queryable, jobId: string): Promise<boolean> {
  const [counts] = await run(db, countsStatement, [jobId]);
  if (!counts) return false;
  if (counts.failed > 0) return true;
  return counts.skipped > 0 && counts.skipped > (await countDiscovered(db, jobId));
}

async function countDiscovered(db: Queryable, jobId: string): Promise<number> {
  const { data } = await listErrors(db, jobId);
  return data
    .filter(({ outcome, reason }) => outcome === 'skipped' && foundByDiscovery.includes(reason))
    .reduce((sum, { count }) => sum + count, 0);
}
