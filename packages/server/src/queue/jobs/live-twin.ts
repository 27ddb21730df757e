import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

const findLiveTwinStatement = statement<{ id: string }>(
  'find-live-twin',
  `
SELECT twin.id FROM crawl_jobs job JOIN crawl_jobs twin USING (user_id, dedupe_key)
WHERE job.id = $1 AND twin.id <> job.id AND twin.status IN ('pending', 'processing', 'retryable', 'paused')`,
);

/** Why a finished job cannot be taken up again: another with its dedupe key is live. Undefined if there is none. */
export async function liveTwin(db: Queryable, id: string): Promise<HoldfastError | undefined> {
  const [twin] = await run(db, findLiveTwinStatement, [id]);
  return twin && new HoldfastError('live_job_exists', `job ${twin.id} has the same dedupe key`);
}
