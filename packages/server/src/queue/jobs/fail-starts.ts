import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { isSilent, isTakingJobs } from '../workers/worker-list.ts';
import { failedRunValues, leaseEnded, requestedOr, transitionOr } from './end-run-sql.ts';
import {
  type HeldJob,
  type LeaseAnswers,
  outcomes,
  sortById,
  type WriteOutcome,
  type WrittenJob,
} from './held-job.ts';
import { asInSettings, neededOrigins } from './waiting-jobs.ts';

/** After this many failed starts on the only worker, the job fails; a second worker decides at once. */
const mostStarts = 5;

const ended = requestedOr("CASE WHEN judged.verdict IS NULL THEN 'pending' ELSE 'failed' END");
const counts = 'job.requested_action IS NULL';

/*
 * `verdict`: why the job itself is to blame (ADR 24). The first worker must still be alive, or a sick worker that restarted under
 * another name would count as a second one. `others`: live workers that could run the job. `tells`: whether this death says
 * anything about the job; it does not where no runner starts at all, unless no other worker is well.
 */
export const failStartStatement = statement<WrittenJob>(
  'fail-start',
  `
WITH held AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::real[], $9::jsonb[])
    AS held (id, fence, code, message, wait, needed)
),
judged AS MATERIALIZED (
  SELECT job.id, held.code, held.message, tells, CASE
    WHEN tells AND failed_starts > 0 AND failed_start_worker <> $7 AND EXISTS (
      SELECT FROM workers before WHERE before.id = failed_start_worker AND NOT ${isSilent('before', '$8')})
    THEN 'as it did on worker ' || failed_start_worker
    WHEN failed_starts + 1 >= ${mostStarts} AND NOT others.any_listens
    THEN format('%s starts in a row failed, and no other worker can try it', failed_starts + 1) END AS verdict
  FROM held JOIN crawl_jobs job
    ON job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  CROSS JOIN LATERAL (
    SELECT count(*) > 0 AS any_listens, count(*) FILTER (WHERE trouble IS NULL) > 0 AS any_is_well FROM workers other
    WHERE other.id <> $7 AND ${isTakingJobs('other', '$8')} AND job.kind = ANY (other.kinds)
      AND held.needed <@ to_jsonb(other.allow_private)) others
  CROSS JOIN LATERAL (SELECT $10::boolean OR NOT others.any_is_well AS tells) evidence
  ORDER BY job.id FOR NO KEY UPDATE OF job
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, run_at = NULL,
    failed_starts = failed_starts + CASE WHEN ${counts} THEN 1 ELSE 0 END,
    failed_start_worker = CASE WHEN ${counts} AND tells THEN $7 ELSE failed_start_worker END,
    error_code = judged.code, error_message = judged.message,${leaseEnded(ended)}
  FROM judged WHERE job.id = ANY ($1) AND job.id = judged.id
  RETURNING job.id, job.status AS to_status, job.fence, job.event_count,
    format('%s: %s; %s', judged.code, judged.message,
      coalesce(judged.verdict, format('the worker %s is to blame, and no retry is burned', $7::text))) AS reason
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, ${transitionOr('failStart')}, 'processing', to_status, fence, $6, reason FROM ended
)
SELECT id, fence, to_status AS status FROM ended`,
);

export interface StartFailure {
  readonly workerId: string;
  /** Why the runner died. */
  readonly detail: string;
  readonly heartbeatSeconds: number;
  /** Earlier runners started on this worker. */
  readonly wasWell: boolean;
}

export interface StartedJob extends HeldJob {
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * The runner of these jobs died before its first request. The worker is to blame, until it happens on another worker or
 * `mostStarts` times on the only one.
 */
export async function failStarts(
  db: Queryable,
  jobs: readonly StartedJob[],
  { workerId, detail, heartbeatSeconds, wasWell }: StartFailure,
): Promise<LeaseAnswers<WriteOutcome>> {
  const error = new HoldfastError('runner_crashed', `before its first request, ${detail}`);
  const sorted = sortById(jobs);
  const values = failedRunValues(sorted.map((job) => ({ ...job, error })));
  const needed = sorted.map(({ payload }) => JSON.stringify(neededOrigins(payload).map(asInSettings)));
  const actor = `supervisor:${workerId}`;
  return outcomes(
    await run(db, failStartStatement, [...values, actor, workerId, heartbeatSeconds, needed, wasWell]),
  );
}
