import type { ClientBase } from 'pg';

/** Times in milliseconds. A longer statement says so itself, with SET LOCAL in its transaction. */
export const sessionSettings = {
  statement_timeout: 60_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
  // Our statements are static and meant for one plan each (plans.test.ts): planning a claim anew for its values doubles its
  // cost (measured: 2.2 ms of CPU against 1.0), and a batch of 500 may talk the planner into reading the whole table.
  plan_cache_mode: 'force_generic_plan',
  // A session keeps the plan that it made when the table was empty, until somebody analyses the table: with 200,000 jobs that
  // came since, a claim of 500 read them all and took 1.4 s instead of 20 ms. What has an index goes by it from the first day on.
  enable_seqscan: 'off',
  // A table that has no other way is read whole as before, but counts as so dear that PostgreSQL would compile the statement.
  jit: 'off',
} as const;

const assignments = Object.entries(sessionSettings)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');
const statement = `SELECT pg_backend_pid() = $1 AS direct, CASE WHEN pg_backend_pid() = $1 THEN row(${assignments}) END`;

/**
 * Limits one new session, and returns whether it is a session of our own. PgBouncer refuses connections that bring
 * such settings as startup parameters, and in its transaction mode a SET stays on a server connection that other
 * clients use next. A pooler gives itself away: it makes up the process id of the greeting, so it is not that of the
 * backend. Nothing is set then; `ALTER ROLE … SET` does it there.
 */
export async function limitSession(client: ClientBase): Promise<boolean> {
  const { processID } = client as ClientBase & { processID?: number };
  const { rows } = await client.query<{ direct: boolean }>(statement, [processID ?? 0]);
  return rows[0]?.direct ?? false;
}
