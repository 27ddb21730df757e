import type { Logger } from 'pino';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';

/*
 * Under the fence, so that another holder of the job or shard is not affected. A death counts once per fence, so that repeating the statement
 * after a lost answer counts nothing twice.
 */
const markStatement = statement(
  'mark-suspects',
  `
INSERT INTO crawl_suspects AS known (job_id, url_hash, deaths, last_fence)
SELECT job.id, url_hash, 0, coalesce($5, job.fence) FROM crawl_jobs job, unnest($3::uuid[]) AS url_hash
WHERE job.id = $1 AND job.fence = $2 AND job.status::text = 'processing' AND ($5::bigint IS NULL OR EXISTS (
  SELECT FROM crawl_shards shard WHERE shard.job_id = job.id AND shard.fence = $5 AND shard.worker_id IS NOT NULL))
ON CONFLICT (job_id, url_hash) DO UPDATE SET
  deaths = known.deaths + CASE WHEN $4 THEN 1 ELSE 0 END, last_fence = excluded.last_fence
WHERE known.last_fence < excluded.last_fence`,
);

/** Records what was in flight when a runner died. A single URL ran alone, as a suspect does: that death counts against it. */
export async function markSuspects(db: Queryable, job: HeldJob, inFlight: readonly string[]): Promise<void> {
  const { id, fence, ticket } = job;
  if (inFlight.length > 0) await run(db, markStatement, [id, fence, inFlight, inFlight.length === 1, ticket]);
}

const suspectsStatement = statement<{ job_id: string }>(
  'suspect-pooled-jobs',
  'SELECT DISTINCT job_id FROM crawl_suspects WHERE job_id = ANY ($1::uuid[])',
);

/** The ids of jobs that were in a pooled runner when it died: they run alone. */
export async function findSuspectJobs(
  db: Queryable,
  jobs: readonly HeldJob[],
  log: Logger,
): Promise<Set<string>> {
  try {
    const rows = await run(db, suspectsStatement, [jobs.map(({ id }) => id)]);
    return new Set(rows.map(({ job_id }) => job_id));
  } catch (error) {
    log.warn({ err: error }, 'Could not look up suspect jobs; they run together with other jobs');
    return new Set();
  }
}
