import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { HeldJob } from '../../queue/jobs/held-job.ts';

/*
 * Under the fence: whoever has the job by now must not be told of our runner's death. A run's death is counted once per
 * fence, so that repeating the statement after a lost answer blames nobody twice.
 */
const markStatement = statement(
  'mark-suspects',
  `
INSERT INTO crawl_suspects AS known (job_id, url_hash, deaths, last_fence)
SELECT job.id, url_hash, 0, job.fence FROM crawl_jobs job, unnest($3::uuid[]) AS url_hash
WHERE job.id = $1 AND job.fence = $2 AND job.status::text = 'processing'
ON CONFLICT (job_id, url_hash) DO UPDATE SET
  deaths = known.deaths + CASE WHEN $4 THEN 1 ELSE 0 END, last_fence = excluded.last_fence
WHERE known.last_fence < excluded.last_fence`,
);

/** Remembers what was in flight when a runner died. A URL that was already suspect ran alone: that death is its own. */
export async function markSuspects(db: Queryable, job: HeldJob, inFlight: readonly string[]): Promise<void> {
  if (inFlight.length > 0) await run(db, markStatement, [job.id, job.fence, inFlight, inFlight.length === 1]);
}
