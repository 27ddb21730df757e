import type { JobStatus } from '@holdfast/contract';
import type { Logger } from 'pino';
import { readMigrationState } from '../base/database/migration-state.ts';
import type { Database } from '../base/database/open-database.ts';
import { version } from '../base/process/version.ts';
import { countJobs } from '../ops/stats/count-jobs.ts';

export interface Status {
  readonly ready: boolean;
  readonly version: string;
  readonly database: string;
  /** Number of the last migration applied. */
  readonly schema: number | null;
  /** Exact up to 10,000 of a status. */
  readonly jobs: Partial<Record<JobStatus, number>>;
}

export async function readStatus(
  database: Pick<Database, 'pool' | 'describe'>,
  log: Logger,
): Promise<Status> {
  const { describe } = database;
  try {
    const [{ applied }, counted] = await Promise.all([
      readMigrationState(database.pool),
      countJobs(database.pool),
    ]);
    const jobs: Status['jobs'] = {};
    for (const { status, count } of counted.jobs) if (count > 0) jobs[status] = (jobs[status] ?? 0) + count;
    return { ready: true, version, database: describe, schema: applied.at(-1)?.version ?? 0, jobs };
  } catch (error) {
    log.warn({ err: error }, 'The database does not answer');
    return { ready: false, version, database: describe, schema: null, jobs: {} };
  }
}
