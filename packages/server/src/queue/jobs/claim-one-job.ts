import { type Queryable, run, statement } from '../../base/database/statement.ts';
import {
  type ClaimAnswer,
  type ClaimedJob,
  type ClaimOptions,
  claimedJson,
  readClaimed,
} from './claim-jobs.ts';

const claimOneStatement = statement<ClaimAnswer>(
  'claim-one',
  `
WITH found AS MATERIALIZED (
  SELECT id, status FROM crawl_jobs
  WHERE id = $1 AND status IN ('pending', 'retryable') AND kind = $2 AND executor = 'builtin'
    AND ($5 OR coalesce(next_retry_at, run_at) IS NULL OR coalesce(next_retry_at, run_at) <= now())
    AND (waits_for IS NULL OR waits_for <@ $6::text[])
  FOR UPDATE SKIP LOCKED
),
claimed AS (
  UPDATE crawl_jobs job SET
    status = 'processing', fence = fence + 1, worker_id = $3, started_at = now(), last_heartbeat = now(),
    lease_seconds = $4::real, lease_expires_at = now() + make_interval(secs => $4::real), next_retry_at = NULL,
    event_count = event_count + 1
  FROM found WHERE job.id = found.id
  RETURNING job.id, job.fence, job.event_count, job.status, found.status AS from_status,
    ${claimedJson("(found.status = 'retryable' OR job.run_at IS NOT NULL)::text")} AS json
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor)
  SELECT id, event_count, 'claim', from_status, status, fence, 'supervisor:' || $3 FROM claimed
)
SELECT json AS jobs FROM claimed`,
);

export interface ClaimOneOptions extends Pick<ClaimOptions, 'lanes' | 'workerId' | 'allowPrivate'> {
  /** Also before its start time or the end of its backoff; true by default. */
  readonly early?: boolean;
}

/** Claims one job by its id, if nobody holds it. */
export async function claimOneJob(
  db: Queryable,
  id: string,
  options: ClaimOneOptions,
): Promise<ClaimedJob[]> {
  const { lanes, workerId, allowPrivate = [], early = true } = options;
  const [lane] = lanes;
  const values = [id, lane?.kind, workerId, lane?.leaseSeconds, early, allowPrivate];
  return readClaimed(await run(db, claimOneStatement, values));
}
