import pg from 'pg';
import type { Logger } from 'pino';
import { createPool } from '../../packages/server/src/database/create-pool.ts';
import { isAlive } from '../../packages/server/src/database/embedded/postmaster.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import type { Database } from '../../packages/server/src/database/open-database.ts';

/** A migrated database without connections, as PostgreSQL wants it of a template. Returns its name. */
export async function createTemplate({ pool, url }: Database, log: Logger): Promise<string> {
  const name = `template_${process.pid}`;
  await pool.query(`CREATE DATABASE ${name}`);
  const templatePool = createPool({ connectionString: inDatabase(url, name) }, log);
  try {
    await migrate(templatePool);
  } finally {
    await templatePool.end();
  }
  return name;
}

/** Drops what killed runs left behind. */
export async function dropAbandoned(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('SELECT datname AS name FROM pg_database');
  for (const { name } of rows) {
    const maker = /^(?:template|test)_(\d+)/.exec(name)?.[1];
    if (!maker || (isAlive(Number(maker)) && Number(maker) !== process.pid)) continue;
    await pool.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
  }
}

export function inDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
