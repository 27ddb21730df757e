import { rmSync } from 'node:fs';
import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../../packages/server/src/database/open-database.ts';

/** Durability is not what these tests are about, and without it they are quick. */
const embeddedSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Every database dropped makes one.
  log_checkpoints: 'off',
  // A table that is looked through in the middle of a test gives the next statement another plan than in the last run.
  autovacuum: 'off',
};

export async function openTestServer(dataFolder: string, log: Logger): Promise<Database> {
  const configuration = { databaseUrl: undefined, dataFolder, databasePort: 0 };
  const open = () =>
    openDatabase(configuration, log, { name: 'test set-up', migrate: false, embeddedSettings });
  try {
    return await open();
  } catch (error) {
    // Without fsync a power cut breaks the cluster, and a new version of the binaries wants a new one.
    const mendable = ['embedded_start_failed', 'data_version_mismatch'];
    if (!(error instanceof HoldfastError && mendable.includes(error.code))) throw error;
    rmSync(dataFolder, { recursive: true, force: true });
    return await open();
  }
}
