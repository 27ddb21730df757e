import type { Check } from './examine.ts';

const tables = ['crawl_jobs', 'job_events'];
const fewRows = 10_000;

export const checkBloat: Check = async ({ pool }) => {
  const { rows } = await pool.query<{ table: string; live: number; dead: number; vacuumed: Date | null }>(
    `SELECT relname AS table, n_live_tup AS live, n_dead_tup AS dead,
       greatest(last_vacuum, last_autovacuum) AS vacuumed
     FROM pg_stat_user_tables WHERE relname = ANY ($1) AND schemaname = ANY (current_schemas(false))`,
    [tables],
  );
  const bloated = rows.filter(({ live, dead }) => dead > fewRows && dead > live);
  const dead = rows.reduce((sum, row) => sum + row.dead, 0);
  if (bloated.length === 0) return { check: 'bloat', state: 'ok', found: `${dead} dead rows` };
  return {
    check: 'bloat',
    state: 'warning',
    found: bloated
      .map(
        (row) =>
          `${row.table}: ${row.dead} dead rows to ${row.live} live, vacuumed ${row.vacuumed ?? 'never'}`,
      )
      .join('; '),
    advice: `Look for an old transaction (locks, above), then run VACUUM ${bloated.map((row) => row.table).join(', ')}.`,
  };
};
