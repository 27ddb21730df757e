import type { Check } from './examine.ts';

export const checkConnections: Check = async ({ pool }) => {
  const { rows } = await pool.query<{ used: number; most: number }>(
    `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`,
  );
  const { used = 0, most = 0 } = rows[0] ?? {};
  const found = `${used} of ${most} in use`;
  if (used < most * 0.8) return { check: 'connections', state: 'ok', found };
  return {
    check: 'connections',
    state: 'warning',
    found,
    advice: 'Raise max_connections, run fewer workers, or put a pooler in between.',
  };
};
