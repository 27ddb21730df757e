import type pg from 'pg';

export async function databaseTime(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  if (!rows[0]) throw new Error('the database has no time');
  return rows[0].at;
}

/** How often jobs made a transition. */
export async function countEvents(pool: pg.Pool, ...transitions: string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*) AS count FROM job_events WHERE transition::text = ANY ($1)',
    [transitions],
  );
  return Number(rows[0]?.count ?? 0);
}

/** Why runs ended badly, and how often, as their events say. */
export async function badEnds(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ why: string }>(
    `SELECT format('%s × %s: %s', count(*), transition, reason) AS why FROM job_events
     WHERE transition IN ('crash', 'recover') GROUP BY transition, reason ORDER BY count(*) DESC LIMIT 10`,
  );
  return rows.map(({ why }) => why);
}
