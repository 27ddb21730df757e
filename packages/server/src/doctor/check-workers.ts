import { hasLiveWorker } from '../supervisor/has-live-worker.ts';
import type { Check } from './examine.ts';

/** Counting goes no further: one that waits is enough. */
const most = 10_000;

/** Jobs that are ready, and nobody to run them. Those of bots wait for bots. */
export const checkWorkers: Check = async ({ pool }, configuration) => {
  const check = 'workers';
  if (await hasLiveWorker(pool, configuration)) return { check, state: 'ok', found: 'at least one is alive' };
  const { rows } = await pool.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM (
       SELECT FROM crawl_jobs
       WHERE executor = 'builtin' AND (status = 'pending' AND (run_at IS NULL OR run_at <= now())
         OR status = 'retryable' AND next_retry_at <= now())
       LIMIT ${most}) job`,
  );
  const { waiting = 0 } = rows[0] ?? {};
  if (waiting === 0) return { check, state: 'ok', found: 'none is alive, and no job waits for one' };
  const jobs =
    waiting === 1 ? '1 job is' : `${waiting === most ? `${most} jobs or more` : `${waiting} jobs`} are`;
  return {
    check,
    state: 'warning',
    found: `${jobs} pending, and no worker is alive`,
    advice: 'Start one: `holdfast worker`, or `holdfast up`.',
  };
};
