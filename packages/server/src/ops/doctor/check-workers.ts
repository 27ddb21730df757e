import { listWorkers } from '../../queue/workers/list-workers.ts';
import type { Check } from './examine.ts';

/** Counting goes no further: one that waits is enough. */
const most = 10_000;
const shown = 3;

const due = `(status = 'pending' AND (run_at IS NULL OR run_at <= now()) OR status = 'retryable' AND next_retry_at <= now())`;
const count = (which: string) =>
  `(SELECT count(*) FROM (SELECT FROM crawl_jobs WHERE executor = 'builtin' AND ${which} LIMIT ${most}) job)`;

/** Workers that have stopped claiming; jobs that are ready, and nobody to run them. Those of bots wait for bots. */
export const checkWorkers: Check = async ({ pool }, configuration) => {
  const check = 'workers';
  const workers = await listWorkers(pool, configuration, { silent: false, limit: 1_000 });
  const sick = workers.filter(({ state }) => state === 'sick');
  if (sick.length > 0) {
    const found = sick.slice(0, shown).map(({ id, host, trouble }) => `${id} on ${host}: ${trouble}`);
    if (sick.length > shown) found.push(`and ${sick.length - shown} more`);
    return {
      check,
      state: 'warning',
      found: `${sick.length === 1 ? '1 is' : `${sick.length} are`} sick and stopped claiming jobs; ${found.join('; ')}`,
      advice:
        'Look at the log of that machine: room in its temporary folder, NODE_OPTIONS, memory, files replaced under a running worker. It tries one job now and then and goes on by itself once a runner works.',
    };
  }
  if (workers.some(({ state, max_jobs }) => state === 'alive' && max_jobs > 0))
    return { check, state: 'ok', found: 'at least one is alive' };
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
