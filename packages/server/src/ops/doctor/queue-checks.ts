import { leaseEnd } from '../../queue/jobs/held-job.ts';
import { mostCounted, readBacklog } from '../../queue/webhooks/find-deliveries.ts';
import { listWorkers } from '../../queue/workers/worker-list.ts';
import type { Check } from './finding.ts';

/** A lease that expired long ago means that no watchdog is running. */
export const checkLeases: Check = async ({ pool }, { watchdogSeconds }) => {
  const { rows } = await pool.query<{ held: number; stale: number }>(
    `SELECT count(*) AS held,
       count(*) FILTER (WHERE ${leaseEnd('crawl_jobs')} < now() - make_interval(secs => $1)) AS stale
     FROM crawl_jobs WHERE status = 'processing'`,
    [2 * watchdogSeconds],
  );
  const { held = 0, stale = 0 } = rows[0] ?? {};
  if (stale === 0) return { check: 'leases', state: 'ok', found: `${held} held, none overdue` };
  return {
    check: 'leases',
    state: 'problem',
    found: `${stale} of ${held} expired and were not recovered`,
    advice: 'No watchdog is running: start `holdfast up` or `holdfast worker` on any machine.',
  };
};

/** Counts stop here: one waiting job is enough to know. */
const countLimit = 10_000;
const shownWorkers = 3;

const due = `(status = 'pending' AND (run_at IS NULL OR run_at <= now()) OR status = 'retryable' AND next_retry_at <= now())`;
const count = (which: string) =>
  `(SELECT count(*) FROM (SELECT FROM crawl_jobs WHERE executor = 'builtin' AND ${which} LIMIT ${countLimit}) job)`;

/** Workers that have stopped claiming, and ready jobs without a worker. Jobs for bots are not counted. */
export const checkWorkers: Check = async ({ pool }, configuration) => {
  const check = 'workers';
  const workers = await listWorkers(pool, configuration, { silent: false, limit: 1_000 });
  const sick = workers.filter(({ state }) => state === 'sick');
  if (sick.length > 0) {
    const found = sick.slice(0, shownWorkers).map(({ id, host, trouble }) => `${id} on ${host}: ${trouble}`);
    if (sick.length > shownWorkers) found.push(`and ${sick.length - shownWorkers} more`);
    return {
      check,
      state: 'warning',
      found: `${sick.length === 1 ? '1 is' : `${sick.length} are`} sick and stopped claiming jobs; ${found.join('; ')}`,
      advice:
        'Check the log of that machine: space in its temporary folder, NODE_OPTIONS, memory, files replaced while the worker runs. The worker tries a job now and then, and recovers by itself once a runner works.',
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
      found: `${jobsAre(waiting)} pending, and no worker is alive`,
      advice: 'Start one: `holdfast worker`, or `holdfast up`.',
    };
  const found = later > 0 ? `no job is due; ${jobsAre(later)} scheduled for later` : 'no job needs one';
  return { check, state: 'ok', found: `none is alive, and ${found}` };
};

const jobsAre = (found: number) =>
  found === 1 ? '1 job is' : `${found === countLimit ? `${countLimit} jobs or more` : `${found} jobs`} are`;

/** Webhooks whose events do not arrive. */
export const checkDeliveries: Check = async ({ pool }) => {
  const { pending, dead, held, enabled, failing, disabled } = await readBacklog(pool);
  const all = enabled + disabled;
  if (all + pending + dead === 0) return { check: 'webhooks', state: 'ok', found: 'none' };
  const found = `${all} ${all === 1 ? 'webhook' : 'webhooks'}, ${failing} failing, ${disabled} disabled; ${atLeast(pending)} ${pending === 1 ? 'delivery' : 'deliveries'} pending, ${atLeast(dead)} dead`;
  const advice = [
    dead > 0 &&
      '`holdfast webhooks deliveries ID --status dead` shows why; `holdfast webhooks replay ID --dead` sends them again.',
    failing > 0 &&
      '`holdfast webhooks list` shows the failing ones; `holdfast webhooks deliveries ID` shows why.',
    held > 0 &&
      `${atLeast(held)} pending ${held === 1 ? 'delivery waits' : 'deliveries wait'} for a disabled webhook (\`holdfast webhooks list --disabled\`): \`holdfast webhooks enable ID\` sends them, \`holdfast webhooks remove ID\` drops them.`,
  ].filter((line) => line !== false);
  if (advice.length === 0) return { check: 'webhooks', state: 'ok', found };
  return { check: 'webhooks', state: 'warning', found, advice: advice.join(' ') };
};

function atLeast(count: number): string {
  return count === mostCounted ? `${count} or more` : `${count}`;
}
