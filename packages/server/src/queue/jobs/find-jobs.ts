import { describeIssues, HoldfastError, type Job, type JobFilter, jobFilter } from '@holdfast/contract';
import { isId, notFound } from '../../base/database/not-found.ts';
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

/** The columns of a Job, to be read from the named table. */
export const jobColumns = (table: string) => columns.map((column) => `${table}.${column}`).join(', ');

const showStatement = statement<Job>(
  'show-job',
  `SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs WHERE id = $1`,
);

/** Newest first; ids grow with time, so the primary key gives the order and the page. */
const listStatement = statement<Job>(
  'list-jobs',
  `
SELECT ${jobColumns('crawl_jobs')} FROM crawl_jobs
WHERE ($1::job_status IS NULL OR status = $1) AND ($2::job_kind IS NULL OR kind = $2)
  AND ($3::uuid IS NULL OR id < $3)
  AND ($5::timestamptz IS NULL OR started_at >= $5) AND ($6::timestamptz IS NULL OR started_at < $6)
ORDER BY id DESC LIMIT $4`,
);

export async function showJob(db: Queryable, id: string): Promise<Job> {
  if (!isId(id)) throw notFound('job_not_found', id);
  const [job] = await run(db, showStatement, [id]);
  if (!job) throw notFound('job_not_found', id);
  return job;
}

/**
 * For whoever has read what a job stored: one that was deleted meanwhile may have lost rows before they were read. Its own row
 * goes first, so that it is enough to ask at the end.
 */
export async function assertNotDeleted(db: Queryable, id: string): Promise<void> {
  const [job] = await run(db, showStatement, [id]);
  if (!job)
    throw new HoldfastError(
      'job_not_found',
      `${id} was deleted while it was read; what was read is not complete`,
    );
}

export async function listJobs(db: Queryable, filter: JobFilter = {}): Promise<Job[]> {
  const checked = jobFilter.safeParse(filter);
  if (!checked.success) throw new HoldfastError('bad_request', describeIssues(checked.error));
  const { status, kind, after, limit, locked_after, locked_before } = checked.data;
  return run(db, listStatement, [status, kind, after, limit, locked_after, locked_before]);
}
