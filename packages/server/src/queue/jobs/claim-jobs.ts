import type { Executor, JobKind } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { thisTransaction } from './find-jobs.ts';
import type { HeldJob } from './held-job.ts';
import { type ClaimRange, type Lane, wholeLane } from './lane.ts';

export interface ClaimedJob extends HeldJob {
  readonly kind: JobKind;
  readonly payload: Record<string, unknown>;
  readonly priority: number;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly timeout_seconds: number | null;
  readonly lease_seconds: number;
  /** Microseconds since the epoch: cheaper to read than a date, and the order of the claim. */
  readonly created_us: number;
  /** It came from the waiting branch: it had a start or retry time. */
  readonly waited: boolean;
}

/**
 * The values of a claimed job as JSON, in the order of ClaimedValues. A claim returns all its jobs as one text: a row per job
 * costs Node a third more. A single concat_ws builds it, so a null timeout has to come last (bench/notes, queue throughput).
 */
export const claimedJson = (
  waited: string,
) => `concat_ws(',', '"' || job.id || '","' || job.kind || ('",' || ${waited}),
    job.fence, job.priority, job.retry_count, job.max_retries, job.lease_seconds,
    (date_part('epoch', job.created_at) * 1e6)::int8, job.payload, job.timeout_seconds)`;

/** Separates the jobs in that text. */
const nextJob = "'],['";

/** `jobs`: the jobs as claimedJson writes them, separated by `nextJob`; null if there are none. */
export interface ClaimAnswer {
  readonly jobs: string | null;
}

type ClaimedValues = [
  id: string,
  kind: JobKind,
  waited: boolean,
  fence: number,
  priority: number,
  retry_count: number,
  max_retries: number,
  lease_seconds: number,
  created_us: number,
  payload: Record<string, unknown>,
  timeout_seconds?: number,
];

export function readClaimed([answer]: readonly ClaimAnswer[]): ClaimedJob[] {
  if (!answer?.jobs) return [];
  const jobs = JSON.parse(`[[${answer.jobs}]]`) as ClaimedValues[];
  return jobs.map((values) => ({
    id: values[0],
    kind: values[1],
    waited: values[2],
    fence: values[3],
    priority: values[4],
    retry_count: values[5],
    max_retries: values[6],
    lease_seconds: values[7],
    created_us: values[8],
    payload: values[9],
    timeout_seconds: values[10] ?? null,
  }));
}

const leaseSeconds = `CASE job.executor
      WHEN 'bot' THEN coalesce(job.lock_ttl_seconds, job.timeout_seconds, ($3::real[])[4])
      ELSE ($3::real[])[CASE job.kind WHEN 'crawl' THEN 1 WHEN 'visit' THEN 2 ELSE 3 END] END`;

/** The values that leaseSeconds picks from. A join with the lanes would cost every job. */
function leasesOf(lanes: readonly Lane[]): number[] {
  const leaseOf = (executor: Executor, kind: JobKind) =>
    lanes.find((lane) => lane.executor === executor && lane.kind === kind)?.leaseSeconds ?? 0;
  const builtin = (['crawl', 'visit', 'collect'] as const).map((kind) => leaseOf('builtin', kind));
  return [...builtin, leaseOf('bot', 'visit')];
}

const lease = `status = 'processing', fence = fence + 1, worker_id = $10, started_at = now(), last_heartbeat = now(),
    lease_seconds = ${leaseSeconds}, lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
    next_retry_at = NULL, event_count = event_count + 1`;

const returned = (waited: string) => `job.id, job.fence, job.event_count, ${claimedJson(waited)} AS json`;

const lanes = `lane AS (
  SELECT * FROM unnest($1::job_kind[], $2::job_executor[]) AS lane (kind, executor)
),
range AS (
  SELECT * FROM unnest($4::job_kind[], $5::job_executor[], $6::smallint[], $7::smallint[], $8::timestamptz[])
    AS range (kind, executor, highest, lowest, since)
)`;

/** A job that needs private origins is claimed only by workers that may fetch them. */
const isAllowed = '(waits_for IS NULL OR waits_for <@ $12::text[])';

const ready = `SELECT job.* FROM lane CROSS JOIN LATERAL (
      SELECT job.* FROM range CROSS JOIN LATERAL (
        SELECT ctid, id, status, priority, created_at, false AS waited FROM crawl_jobs
        WHERE status = 'pending' AND run_at IS NULL AND kind = range.kind AND executor = range.executor
          AND priority BETWEEN range.lowest AND range.highest AND created_at >= range.since AND ${isAllowed}
        ORDER BY priority DESC, created_at
        LIMIT $9 FOR UPDATE SKIP LOCKED
      ) job
      WHERE range.kind = lane.kind AND range.executor = lane.executor
      LIMIT $9
    ) job`;

const due = `SELECT job.* FROM lane CROSS JOIN LATERAL (
      SELECT job.* FROM waiting_priority CROSS JOIN LATERAL (
        SELECT ctid, id, status, priority, created_at, true AS waited FROM crawl_jobs
        WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
          AND kind = waiting_priority.kind AND executor = waiting_priority.executor
          AND priority = waiting_priority.priority AND coalesce(next_retry_at, run_at) <= now() AND ${isAllowed}
        ORDER BY coalesce(next_retry_at, run_at)
        LIMIT $9 FOR UPDATE SKIP LOCKED
      ) job
      WHERE waiting_priority.kind = lane.kind AND waiting_priority.executor = lane.executor
      LIMIT $9
    ) job`;

const best = 'ORDER BY priority DESC, created_at LIMIT $9';

const recorded = (claimed: string) => `
  INSERT INTO job_events (job_id, event_no, transition, from_status, to_status, fence, actor, tx)
  SELECT id, event_count, 'claim'::job_transition, from_status, 'processing'::job_status, fence, $11, ${thisTransaction}
  FROM (${claimed}) claimed`;

const wasReady = (claimed: string) =>
  `SELECT id, event_count, 'pending'::job_status AS from_status, fence FROM ${claimed}`;

/*
 * Why it looks like this (ADR 3): ready and waiting jobs have an index each, because an OR over one index is nine times slower.
 * The ready branch walks its ranges lazily; the waiting branch steps from priority to priority and never reads jobs that are not
 * due. The update goes by ctid, since the rows are locked; one that changed before the lock is left to the next claim.
 * `= ANY (ARRAY(…))` avoids a join, which becomes a sequential scan with stale statistics. Ready and waiting jobs are updated
 * separately: a ready job was pending, so its earlier status need not be joined back.
 */
export const claimStatement = statement<ClaimAnswer>(
  'claim',
  `
WITH RECURSIVE ${lanes},
waiting_priority (kind, executor, priority) AS (
  SELECT lane.kind, lane.executor, first.priority FROM lane CROSS JOIN LATERAL (
    SELECT priority FROM crawl_jobs
    WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
      AND kind = lane.kind AND executor = lane.executor
    ORDER BY priority DESC LIMIT 1
  ) first
  UNION ALL
  SELECT above.kind, above.executor, next.priority FROM waiting_priority above CROSS JOIN LATERAL (
    SELECT priority FROM crawl_jobs
    WHERE status IN ('pending', 'retryable') AND coalesce(next_retry_at, run_at) IS NOT NULL
      AND kind = above.kind AND executor = above.executor AND priority < above.priority
    ORDER BY priority DESC LIMIT 1
  ) next
),
picked AS MATERIALIZED (
  SELECT ctid, id, status, waited FROM (
    ${ready}
    UNION ALL
    ${due}
  ) candidate
  ${best}
),
claimed_ready AS (
  UPDATE crawl_jobs job SET ${lease}
  WHERE job.ctid = ANY (ARRAY(SELECT ctid FROM picked WHERE NOT waited))
  RETURNING ${returned("'false'")}
),
claimed_due AS (
  UPDATE crawl_jobs job SET ${lease}
  WHERE job.ctid = ANY (ARRAY(SELECT ctid FROM picked WHERE waited))
  RETURNING ${returned("'true'")}
),
event AS (${recorded(`
    ${wasReady('claimed_ready')}
    UNION ALL
    SELECT id, event_count, picked.status, fence FROM claimed_due JOIN picked USING (id)`)}
)
SELECT string_agg(json, ${nextJob}) AS jobs FROM (
  SELECT json FROM claimed_ready UNION ALL SELECT json FROM claimed_due
) claimed`,
);

/** The same without the waiting branch, for nearly all claims of a busy queue. */
export const claimReadyStatement = statement<ClaimAnswer>(
  'claim-ready',
  `
WITH ${lanes},
claimed AS (
  UPDATE crawl_jobs job SET ${lease}
  WHERE job.ctid = ANY (ARRAY(SELECT ctid FROM (
    ${ready}
  ) candidate ${best}))
  RETURNING ${returned("'false'")}
),
event AS (${recorded(wasReady('claimed'))}
)
SELECT string_agg(json, ${nextJob}) AS jobs FROM claimed`,
);

export interface ClaimOptions {
  readonly lanes: readonly Lane[];
  readonly limit: number;
  readonly workerId: string;
  /** Where to look; by default every priority from the start. See ClaimPositions. */
  readonly ranges?: readonly ClaimRange[];
  /** Whether to look for waiting jobs that are due; true by default. */
  readonly due?: boolean;
  /** Private origins that the worker may fetch. */
  readonly allowPrivate?: readonly string[];
}

/** Takes up to `limit` jobs that are ready or due, highest priority first, then oldest, and leases them to the worker. */
export async function claimJobs(db: Queryable, options: ClaimOptions): Promise<ClaimedJob[]> {
  const { lanes, workerId } = options;
  const ranges = options.ranges ?? lanes.map((lane) => wholeLane(lane));
  const role = lanes.some((lane) => lane.executor === 'bot') ? 'bot' : 'supervisor';
  const answer = await run(db, (options.due ?? true) ? claimStatement : claimReadyStatement, [
    lanes.map((lane) => lane.kind),
    lanes.map((lane) => lane.executor),
    leasesOf(lanes),
    ranges.map((range) => range.kind),
    ranges.map((range) => range.executor),
    ranges.map((range) => range.highest),
    ranges.map((range) => range.lowest),
    ranges.map((range) => range.since ?? '-infinity'),
    options.limit,
    workerId,
    `${role}:${workerId}`,
    options.allowPrivate ?? [],
  ]);
  return readClaimed(answer).sort((a, b) => b.priority - a.priority || a.created_us - b.created_us);
}
