import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { leaseEnded, requestedOr, transitionOr } from './end-run-sql.ts';
import {
  type HeldJob,
  type LeaseAnswers,
  outcomes,
  sortById,
  type WriteOutcome,
  type WrittenJob,
} from './held-job.ts';
import type { BlockedBy } from './waiting-jobs.ts';

export interface Release extends HeldJob {
  readonly reason: string;
  /** Seconds until the job is ready again (a source is blocked). */
  readonly notBeforeSeconds?: number;
  /** What the job waits for until then. */
  readonly blockedBy?: BlockedBy | undefined;
  /** Private origins that the job needs and the holder may not fetch: the job waits for a worker that may. */
  readonly waitsFor?: readonly string[];
}

const ended = requestedOr("'pending'");

export const releaseStatement = statement<WrittenJob>(
  'release',
  `
WITH given AS (
  SELECT id, fence, reason, wait, origins, blocked::jsonb AS blocked
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::real[], $6::text[], $7::text[])
    AS held (id, fence, reason, wait, origins, blocked)
),
-- Locked, so that either we see that a source was resumed, or whoever resumes it sees the job wait.
source AS MATERIALIZED (
  SELECT id, NOT enabled OR paused_until > now() AS is_paused FROM sources
  WHERE id IN (SELECT jsonb_array_elements_text(blocked -> 'paused') FROM given) ORDER BY id FOR SHARE
),
held AS (
  SELECT given.*, blocked -> 'paused' ?| ARRAY(SELECT id FROM source WHERE is_paused IS NOT TRUE) AS is_over FROM given
),
ended AS (
  UPDATE crawl_jobs job SET
    status = ${ended}, run_at = CASE WHEN held.is_over IS NOT TRUE THEN now() + make_interval(secs => held.wait) END,
    blocked_by = held.blocked,
    waits_for = CASE WHEN held.origins IS NULL THEN job.waits_for
      ELSE ARRAY(SELECT unnest(job.waits_for) UNION SELECT jsonb_array_elements_text(held.origins::jsonb)) END,${leaseEnded(ended)}
  FROM held WHERE job.id = ANY ($1) AND job.id = held.id AND job.fence = held.fence AND job.status::text = 'processing'
  RETURNING job.id, job.status AS to_status, job.fence, job.event_count, held.reason
),
event AS (
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, reason)
  SELECT id, event_count, ${transitionOr('release')}, 'processing', to_status, fence, $5, reason FROM ended
)
SELECT id, fence, to_status AS status FROM ended`,
);

/** Gives unfinished jobs back without burning a retry. This also acknowledges a requested pause or cancel. */
export async function releaseJobs(
  db: Queryable,
  releases: readonly Release[],
  actor: string,
): Promise<LeaseAnswers<WriteOutcome>> {
  const sorted = sortById(releases);
  const rows = await run(db, releaseStatement, [
    sorted.map((release) => release.id),
    sorted.map((release) => release.fence),
    sorted.map((release) => release.reason),
    sorted.map((release) => release.notBeforeSeconds ?? null),
    actor,
    sorted.map(({ waitsFor }) => waitsFor && JSON.stringify(waitsFor)),
    sorted.map(({ blockedBy }) => blockedBy && JSON.stringify(blockedBy)),
  ]);
  return outcomes(rows);
}
