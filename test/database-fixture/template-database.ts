import type { Logger } from 'pino';
import { createPool } from '../../packages/server/src/base/database/create-pool.ts';
import { migrate } from '../../packages/server/src/base/database/migrate.ts';
import type { Database } from '../../packages/server/src/base/database/open-database.ts';
import { coarseFunctions } from '../stress/coarse-database.ts';

/** Every database of a run has a name that begins with this: other runs may use the same server. */
const runPrefix = `test_${process.pid}_`;

/** A migrated database without connections, as PostgreSQL wants it of a template. Returns its name. */
export async function createTemplate({ pool, url }: Database, log: Logger): Promise<string> {
  const name = `${runPrefix}template`;
  await pool.query(`CREATE DATABASE ${name}`);
  const templatePool = createPool({ connectionString: inDatabase(url, name) }, log);
  try {
    if (coarseFunctions) await templatePool.query(coarseFunctions);
    await migrate(templatePool);
  } finally {
    await templatePool.end();
  }
  return name;
}

/** The run's template, and what tests that failed left. */
export async function dropDatabases({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [runPrefix],
  );
  for (const { datname } of rows) await pool.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
}

export function inDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
