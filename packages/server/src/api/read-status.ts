import type { JobStatus } from '@holdfast/contract';
import type { Logger } from 'pino';
import { readMigrationState } from '../database/migration-state.ts';
import type { Database } from '../database/open-database.ts';
import { countJobs } from '../queue/find-jobs.ts';
import { version } from '../version.ts';

export interface Status {
  readonly ready: boolean;
  readonly version: string;
  readonly database: string;
  /** Number of the last migration applied. */
  readonly schema: number | null;
  readonly jobs: Partial<Record<JobStatus, number>>;
}

export async function readStatus(
  database: Pick<Database, 'pool' | 'describe'>,
  log: Logger,
): Promise<Status> {
  const { describe } = database;
  try {
    const [{ applied }, jobs] = await Promise.all([
      readMigrationState(database.pool),
      countJobs(database.pool),
    ]);
    return { ready: true, version, database: describe, schema: applied.at(-1)?.version ?? 0, jobs };
  } catch (error) {
    log.warn({ err: error }, 'The database does not answer');
    return { ready: false, version, database: describe, schema: null, jobs: {} };
  }
}
