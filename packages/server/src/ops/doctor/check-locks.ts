import type { Check } from './examine.ts';

const longSeconds = 30;

/** Who waits long for a lock, and which transactions stay open so long that they keep dead rows alive. */
export const checkLocks: Check = async ({ pool }) => {
  const { rows } = await pool.query<{ pid: number; seconds: number; what: string; blockers: number[] }>(
    `SELECT pid, extract(epoch FROM now() - coalesce(xact_start, query_start))::int AS seconds,
       left(coalesce(nullif(application_name, ''), usename, 'unknown'), 40) AS what, pg_blocking_pids(pid) AS blockers
     FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - make_interval(secs => $1)
     ORDER BY xact_start LIMIT 5`,
    [longSeconds],
  );
  if (rows.length === 0)
    return { check: 'locks', state: 'ok', found: `no transaction is older than ${longSeconds} s` };
  const found = rows.map(({ pid, seconds, what, blockers }) => {
    const waits = blockers.length > 0 ? `, waiting for ${blockers.join(', ')}` : '';
    return `${what} (pid ${pid}) has been open for ${seconds} s${waits}`;
  });
  return {
    check: 'locks',
    state: 'warning',
    found: found.join('; '),
    advice:
      'An old transaction keeps dead rows and slows claims: end it with SELECT pg_terminate_backend(PID).',
  };
};
