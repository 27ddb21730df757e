import { leaseEnd } from '../../queue/jobs/lease-end.ts';
import type { Check } from './examine.ts';

/** A lease that ran out long ago means that no watchdog runs anywhere. */
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
    found: `${stale} of ${held} ran out and were not recovered`,
    advice: 'No watchdog is running: start `holdfast up` (or `holdfast worker`) anywhere.',
  };
};
