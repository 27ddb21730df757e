import { setTimeout as delay } from 'node:timers/promises';
import {
  describeIssues,
  HoldfastError,
  type Job,
  type JobFilter,
  type JobStatus,
  jobFilter,
  type ShownJob,
  type TransitionName,
} from '@holdfast/contract';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

const columns = [
  'id',
  'kind',
  'executor',
  'payload',
  'status',
  'requested_action',
  'priority',
  'progress_percentage',
  'retry_count',
  'max_retries',
  'error_code',
  'error_message',
  'waits_for',
  'blocked_by',
  'worker_id',
  'fence',
  'lease_expires_at',
  'last_heartbeat',
  'run_at',
  'next_retry_at',
  'created_at',
  'started_at',
  'completed_at',
  'dedupe_key',
  'idempotency_key',
  'source_id',
  'policy_id',
  'rerun_of',
  'user_id',
] as const satisfies (keyof Job)[];

/** The columns of a Job, read from the named table. */
export const jobColumns = (table: string) => columns.map((column) => `${table}.${column}`).join(', ');

const showStatement = statement<Job>(
  'show-job',
  `SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs WHERE id = $1`,
);

export async function showJob(db: Queryable, id: string): Promise<Job> {
  if (!isId(id)) throw notFound('job_not_found', id);
  const [job] = await run(db, showStatement, [id]);
  if (!job) throw notFound('job_not_found', id);
  return job;
}

/** Call after reading what a job stored: it may have been deleted meanwhile. Its row goes first, so one check at the end suffices. */
export async function assertNotDeleted(db: Queryable, id: string): Promise<void> {
  const [job] = await run(db, showStatement, [id]);
  if (!job)
    throw new HoldfastError(
      'job_not_found',
      `${id} was deleted during the request; the data read so far is incomplete`,
    );
}

/** Newest first. Ids grow with time, so the primary key gives order and pages. */
const listStatement = statement<Job>(
  'list-jobs',
  `
SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs
WHERE ($1::job_status IS NULL OR status = $1) AND ($2::job_kind IS NULL OR kind = $2)
  AND ($3::uuid IS NULL OR id < $3)
  AND ($5::timestamptz IS NULL OR started_at >= $5) AND ($6::timestamptz IS NULL OR started_at < $6)
ORDER BY id DESC LIMIT $4`,
);

export async function listJobs(db: Queryable, filter: JobFilter = {}): Promise<Job[]> {
  const checked = jobFilter.safeParse(filter);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  const { status, kind, after, limit, locked_after, locked_before } = checked.data;
  return run(db, listStatement, [status, kind, after, limit, locked_after, locked_before]);
}

const patienceMs = 2_000;
const lookMs = 50;

/**
 * Gives the holder of a running job a moment to act on a request. The returned job has a new status if it did, and is still
 * processing with its requested_action if not.
 */
export async function awaitAcknowledgement(db: Queryable, id: string): Promise<Job> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const job = await showJob(db, id);
    if (job.status !== 'processing' || job.requested_action === null || performance.now() >= until)
      return job;
    await delay(lookMs);
  }
}

export interface JobEvent {
  readonly event_no: number;
  readonly transition: TransitionName;
  readonly from_status: JobStatus | null;
  readonly to_status: JobStatus;
  readonly fence: number;
  readonly at: Date;
  readonly actor: string;
  readonly reason: string | null;
}

const listEventsStatement = statement<JobEvent>(
  'list-events',
  `
SELECT event_no, transition, from_status, to_status, fence, at, actor, reason
FROM job_events WHERE job_id = $1 AND event_no > $2 ORDER BY event_no LIMIT $3`,
);

/** The timeline of a job, oldest first, after the event `after`. */
export function listEvents(db: Queryable, jobId: string, after = 0, limit = 1000): Promise<JobEvent[]> {
  return run(db, listEventsStatement, [jobId, after, limit]);
}

/** SQL: the transaction of an event. A subquery is computed once per statement, the column's default once per row. */
export const thisTransaction = '(SELECT pg_current_xact_id()::text::bigint)';

export type FailedStart = NonNullable<ShownJob['failed_start']>;

const failedStartStatement = statement<FailedStart>(
  'read-failed-start',
  `
SELECT failed_start_worker AS worker_id, failed_starts AS count FROM crawl_jobs
WHERE id = $1 AND failed_starts > 0 AND failed_start_worker IS NOT NULL`,
);

/** The worker whose runners died before the job's first request; null once a page has been saved. */
export async function readFailedStart(db: Queryable, jobId: string): Promise<FailedStart | null> {
  const [found] = await run(db, failedStartStatement, [jobId]);
  return found ?? null;
}

const findLiveTwinStatement = statement<{ id: string }>(
  'find-live-twin',
  `
SELECT twin.id FROM crawl_jobs job JOIN crawl_jobs twin USING (user_id, dedupe_key)
WHERE job.id = $1 AND twin.id <> job.id AND twin.status IN ('pending', 'processing', 'retryable', 'paused')`,
);

/** The error for a finished job that cannot be retried because another job with its dedupe key is live. */
export async function liveJobConflict(db: Queryable, id: string): Promise<HoldfastError | undefined> {
  const [twin] = await run(db, findLiveTwinStatement, [id]);
  return twin && new HoldfastError('live_job_exists', `job ${twin.id} has the same dedupe key`);
}
