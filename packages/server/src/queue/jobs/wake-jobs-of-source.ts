import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { runJobsNow } from './run-jobs-now.ts';

/** Walks the jobs that wait for a time (crawl_jobs_waiting): an operator asks for it, and no claim has to pay for an index. */
export const waitingForSourceStatement = statement<{ id: string }>(
  'waiting-for-source',
  `
SELECT id FROM crawl_jobs
WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
  AND (blocked_by -> 'sources' ? $1 OR status = 'retryable' AND kind = 'collect' AND source_id = $1)
ORDER BY priority DESC, id`,
);

const batch = 1_000;

/** The source was resumed or enabled: the jobs that wait for it start. `onWoken` comes after each batch. */
export async function wakeJobsOfSource(
  db: Queryable,
  sourceId: string,
  actor: string,
  onWoken: () => Promise<void>,
): Promise<number> {
  const ids = (await run(db, waitingForSourceStatement, [sourceId])).map(({ id }) => id);
  let woken = 0;
  for (let start = 0; start < ids.length; start += batch) {
    const reason = `source ${sourceId} was resumed`;
    woken += (await runJobsNow(db, ids.slice(start, start + batch), actor, reason)).length;
    await onWoken();
  }
  return woken;
}
