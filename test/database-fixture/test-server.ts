import type { Logger } from 'pino';
import { type Database, openDatabase } from '../../packages/server/src/database/open-database.ts';
import { coarseSettings } from '../stress/coarse-database.ts';

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

export async function openTestServer(dataFolder: string, log: Logger): Promise<Database> {
  const configuration = { databaseUrl: undefined, dataFolder, databasePort: 0 };
  return await openDatabase(configuration, log, { name: 'test set-up', migrate: false, embeddedSettings });
}
