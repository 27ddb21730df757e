import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { int8Array, uuidArray } from '../../base/database/wire-values.ts';
import { thisTransaction } from './find-jobs.ts';
import {
  type ActedJob,
  LeaseAnswers,
  outcomes,
  sortById,
  type WriteOutcome,
  type WrittenJob,
} from './held-job.ts';

/**
 * The index of a job's lease in the sorted arrays. Looked up instead of joined: one walk along the index is cheaper than a descent
 * per job, and no stale statistics can turn it into a hash join. Of two leases of one job, the last (newer) one counts.
 */
const place = 'width_bucket(job.id, $1::uuid[])';

/* Nearly always all jobs are completed, and a count is cheaper than a row per job. */
export const completeStatement = statement<{ completed: number }>(
  'complete',
  `
WITH completed AS (
  UPDATE crawl_jobs job SET
    status = 'completed', completed_at = now(), progress_percentage = 100, lease_expires_at = NULL,
    error_code = NULL, error_message = NULL, event_count = event_count + 1
  WHERE job.id = ANY ($1::uuid[]) AND job.fence = ($2::bigint[])[${place}] AND job.status::text = 'processing'
  RETURNING job.id, job.status, job.fence, job.event_count, job.requested_action,
    CASE WHEN cardinality($3::text[]) = 0 THEN $4 ELSE ($3::text[])[${place}] END AS actor
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, tx, reason)
  SELECT id, event_count, 'complete', 'processing', status, fence, actor, ${thisTransaction},
    CASE WHEN requested_action IS NOT NULL THEN 'the request to ' || requested_action || ' came too late' END
  FROM completed
)
SELECT count(*)::int AS completed FROM completed`,
);

/** Which leases ended in completion, now or by an earlier attempt whose answer was lost: nobody else writes under this fence. */
const completedUnderFenceStatement = statement<WrittenJob>(
  'completed-under-fence',
  `
SELECT job.id, job.fence, job.status FROM unnest($1::uuid[], $2::bigint[]) AS held (id, fence)
JOIN crawl_jobs job ON job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence
  AND job.status::text = 'completed'`,
);

export async function completeJobs(
  db: Queryable,
  jobs: readonly ActedJob[],
  actor: string,
): Promise<LeaseAnswers<WriteOutcome>> {
  const held = sortById(jobs);
  const ids = uuidArray(held.map((job) => job.id));
  const fences = int8Array(held.map((job) => job.fence));
  const actors = held.some((job) => job.actor) ? held.map((job) => job.actor ?? actor) : [];
  const [answer] = await run(db, completeStatement, [ids, fences, actors, actor]);
  if (answer?.completed === held.length) return new LeaseAnswers<WriteOutcome>([], 'completed');
  return outcomes(await run(db, completedUnderFenceStatement, [ids, fences]));
}
