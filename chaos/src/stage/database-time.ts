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
