import { readMigrationState } from '../../base/database/migration-state.ts';
import type { Check } from './finding.ts';

export const checkSchema: Check = async ({ pool }) => {
  const { known, applied, pending, changed } = await readMigrationState(pool);
  const check = 'schema';
  const newest = applied.at(-1)?.version ?? 0;
  const newestKnown = known.at(-1)?.version ?? 0;
  if (newest > newestKnown) {
    return {
      check,
      state: 'problem',
      found: `version ${newest}, from a newer Holdfast; this one supports up to ${newestKnown}`,
      advice: 'Upgrade this installation.',
    };
  }
  if (changed.length > 0) {
    return {
      check,
      state: 'problem',
      found: `changed after they were applied: ${changed.map(({ name }) => name).join(', ')}`,
      advice: 'Restore the original files and put the change into a new migration.',
    };
  }
  if (pending.length > 0) {
    return {
      check,
      state: 'warning',
      found: `version ${newest}; not applied yet: ${pending.map(({ name }) => name).join(', ')}`,
      advice: 'Run `holdfast migrate`; any other command also migrates.',
    };
  }
  return { check, state: 'ok', found: `version ${newest}, up to date` };
};

const toleratedMs = 5_000;

/** Leases use the clock of the database only; this machine's clock matters for logs and displayed times. */
export const checkClock: Check = async ({ pool }) => {
  const before = Date.now();
  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const middle = (before + Date.now()) / 2;
  const aheadMs = Math.round((rows[0]?.now.getTime() ?? middle) - middle);
  const found = `the clock of the database is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(aheadMs) <= toleratedMs) return { check: 'clock', state: 'ok', found };
  return {
    check: 'clock',
    state: 'warning',
    found,
    advice: 'Leases are safe, but displayed times are wrong: synchronise both machines (NTP).',
  };
};

/** Settings with which PostgreSQL may lose committed data. A lost claim would hand out its fence twice. */
export const checkDurability: Check = async ({ pool }) => {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings
     WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'`,
  );
  if (rows.length === 0)
    return { check: 'durability', state: 'ok', found: 'committed data survives a crash' };
  return {
    check: 'durability',
    state: 'problem',
    found: rows.map(({ name, setting }) => `${name} = ${setting}`).join(', '),
    advice: 'Turn it on: without it, a crash of PostgreSQL can lose committed jobs and pages.',
  };
};

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
    advice: 'Raise max_connections, run fewer workers, or use a connection pooler.',
  };
};

const longSeconds = 30;

/** Transactions that wait long for a lock, or stay open so long that dead rows cannot be removed. */
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
      'An old transaction keeps dead rows and slows down claims: end it with SELECT pg_terminate_backend(PID).',
  };
};

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
    advice: `Look for an old transaction (see locks above), then run VACUUM ${bloated.map((row) => row.table).join(', ')}.`,
  };
};
