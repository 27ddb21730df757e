import type { Logger } from 'pino';
import { createPool } from '../../packages/server/src/database/create-pool.ts';
import { migrate } from '../../packages/server/src/database/migrate.ts';
import type { Database } from '../../packages/server/src/database/open-database.ts';
import { coarseFunctions } from '../stress/coarse-database.ts';

/** A migrated database without connections, as PostgreSQL wants it of a template. Returns its name. */
export async function createTemplate({ pool, url }: Database, log: Logger): Promise<string> {
  const name = 'template_test';
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

export function inDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}
