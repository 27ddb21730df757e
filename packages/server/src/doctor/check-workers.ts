import { hasLiveWorker } from '../supervisor/has-live-worker.ts';
import type { Check } from './examine.ts';

/** Counting goes no further: one that waits is enough. */
const most = 10_000;

const due = `(status = 'pending' AND (run_at IS NULL OR run_at <= now()) OR status = 'retryable' AND next_retry_at <= now())`;
const count = (which: string) =>
  `(SELECT count(*) FROM (SELECT FROM crawl_jobs WHERE executor = 'builtin' AND ${which} LIMIT ${most}) job)`;

/** Jobs that are ready, and nobody to run them. Those of bots wait for bots. */
export const checkWorkers: Check = async ({ pool }, configuration) => {
  const check = 'workers';
  if (await hasLiveWorker(pool, configuration)) return { check, state: 'ok', found: 'at least one is alive' };
  const { rows } = await pool.query<{ waiting: number; later: number }>(
    `SELECT ${count(due)} AS waiting, ${count(`status IN ('pending', 'retryable') AND NOT ${due}`)} AS later`,
  );
  const { waiting = 0, later = 0 } = rows[0] ?? {};
  if (waiting > 0)
    return {
      check,
      state: 'warning',
      found: `${jobs(waiting)} pending, and no worker is alive`,
      advice: 'Start one: `holdfast worker`, or `holdfast up`.',
    };
  const found =
    later > 0 ? `no job is due; ${jobs(later)} waiting for a time to come` : 'no job waits for one';
  return { check, state: 'ok', found: `none is alive, and ${found}` };
};

const jobs = (found: number) =>
  found === 1 ? '1 job is' : `${found === most ? `${most} jobs or more` : `${found} jobs`} are`;
