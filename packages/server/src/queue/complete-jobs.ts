import { type Queryable, run, statement } from '../database/statement.ts';
import {
  type HeldJob,
  type LeaseAnswers,
  outcomes,
  sortById,
  type WriteOutcome,
  type WrittenJob,
} from './held-job.ts';

export const completeStatement = statement<WrittenJob>(
  'complete',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[]) AS held (id, fence)
),
completed AS (
  UPDATE crawl_jobs job SET
    status = 'completed', completed_at = now(), progress_percentage = 100, lease_expires_at = NULL,
    error_code = NULL, error_message = NULL, event_count = event_count + 1
  FROM held WHERE job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  RETURNING job.id, job.status, job.fence, job.event_count, job.requested_action
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, 'complete', 'processing', status, fence, $3,
    CASE WHEN requested_action IS NOT NULL THEN 'the request to ' || requested_action || ' came too late' END
  FROM completed
)
SELECT id, fence, status FROM completed`,
);

/** A completion whose answer was lost is sent again; only this holder can have completed the job under its fence. */
const completedBeforeStatement = statement<WrittenJob>(
  'completed-before',
  `
SELECT job.id, job.fence, job.status FROM unnest($1::uuid[], $2::bigint[]) AS held (id, fence)
JOIN crawl_jobs job ON job.id = held.id AND job.fence = held.fence AND job.status::text = 'completed'`,
);

export async function completeJobs(
  db: Queryable,
  jobs: readonly HeldJob[],
  actor: string,
): Promise<LeaseAnswers<WriteOutcome>> {
  const held = sortById(jobs);
  const ids = held.map((job) => job.id);
  const fences = held.map((job) => job.fence);
  const completed = await run(db, completeStatement, [ids, fences, actor]);
  if (completed.length < held.length)
    completed.push(...(await run(db, completedBeforeStatement, [ids, fences])));
  return outcomes(held, completed);
}
