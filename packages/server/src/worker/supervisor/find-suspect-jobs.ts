import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';

const suspectsStatement = statement<{ job_id: string }>(
  'suspect-pooled-jobs',
  'SELECT DISTINCT job_id FROM crawl_suspects WHERE job_id = ANY ($1::uuid[])',
);

/** The ids of those jobs that were in a pooled runner when it died. */
export async function findSuspectJobs(
  db: Queryable,
  jobs: readonly HeldJob[],
  log: Logger,
): Promise<Set<string>> {
  try {
    const rows = await run(db, suspectsStatement, [jobs.map(({ id }) => id)]);
    return new Set(rows.map(({ job_id }) => job_id));
  } catch (error) {
    log.warn({ err: error }, 'Suspect jobs could not be looked up; none is run apart');
    return new Set();
  }
}
