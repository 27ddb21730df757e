import type { Logger } from 'pino';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { coarseFunctions, coarseSettings } from '../stress/coarse-database.ts';

/** Durability is not what these tests are about, and without it they are quick. */
const embeddedSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Files of the log that are kept to be written again would stay in memory.
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  // Every database dropped makes one.
  log_checkpoints: 'off',
  // A table that is looked through in the middle of a test gives the next statement another plan than in the last run.
  autovacuum: 'off',
  ...coarseSettings,
};

/**
 * The server of DATABASE_URL, or else an embedded one of the run's own. Programs that the tests start must not find the variable:
 * they work on databases of their own, and some on embedded servers.
 */
export async function openTestServer(dataFolder: string, log: Logger): Promise<Database> {
  const { DATABASE_URL: databaseUrl } = process.env;
  delete process.env.DATABASE_URL;
  if (databaseUrl && coarseFunctions)
    throw new Error('Coarse clocks need settings of the embedded server: run without DATABASE_URL.');
  const configuration = { databaseUrl: databaseUrl || undefined, dataFolder, databasePort: 0 };
  return await openDatabase(configuration, log, { name: 'test set-up', migrate: false, embeddedSettings });
}
