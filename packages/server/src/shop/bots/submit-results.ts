import { HoldfastError, type JobStatus } from '@holdfast/contract';
import { LosslessNumber, stringify } from 'lossless-json';
import type pg from 'pg';
import { inTransaction, type Queryable, run, statement } from '../../base/database/statement.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import { retryJobsNow } from '../../queue/jobs/retry-jobs-now.ts';
import { findLapsedLeases, type LockedLease, leaseError, lockLeases } from './bot-leases.ts';
import {
  type RecordedSubmission,
  recordSubmissions,
  type Submission,
  type SubmissionAnswer,
} from './record-submissions.ts';

interface HeldSubmission {
  readonly submission: Submission;
  readonly lease: LockedLease;
}

const nextRunStatement = statement<{ id: string; next_run_at: Date }>(
  'policies-next-run',
  'SELECT id, next_run_at FROM crawl_policies WHERE id = ANY ($1)',
);

const earlierStatement = statement<{ job_id: string; fence: number; status: number; data: string }>(
  'earlier-submissions',
  `
SELECT job_id, fence, http_status AS status, answer::text AS data
FROM unnest($1::uuid[], $2::bigint[]) AS asked (job_id, fence) JOIN bot_submissions USING (job_id, fence)
WHERE job_id = ANY ($1)`,
);

type Answers = Map<Submission, SubmissionAnswer | HoldfastError>;

/**
 * Writes submissions in one transaction: jobs, results and answers, all or none. At most one submission per job. Returns for each
 * the answer, or the error it was refused with.
 */
export function submitResults(
  pool: pg.Pool,
  submissions: readonly Submission[],
  options: { readonly lockTimeoutMs?: number } = {},
): Promise<Answers> {
  return inTransaction(pool, (db) => submitWithin(db, submissions), options);
}

/** The same inside a transaction of the caller's. */
export async function submitWithin(db: Queryable, submissions: readonly Submission[]): Promise<Answers> {
  const locked = await lockLeases(
    db,
    submissions.map(({ lease }) => lease),
  );
  const judged = submissions.map((submission, at) => ({ submission, lease: locked[at] as LockedLease }));
  const held = judged.filter(({ lease }) => lease.verdict === 'held');
  const recorded = held.length > 0 ? await endRuns(db, held) : [];
  const refused = judged.filter(({ lease }) => lease.verdict !== 'held');
  return new Map([
    ...recorded.map(({ submission, answer }) => [submission, answer] as const),
    ...(await refuse(db, refused)),
  ]);
}

async function endRuns(db: Queryable, held: readonly HeldSubmission[]): Promise<RecordedSubmission[]> {
  const runs = held.map(({ submission, lease }) => ({
    id: submission.lease.jobId,
    fence: lease.fence,
    actor: `bot:${submission.lease.botId}`,
    submission,
  }));
  const done = runs.filter(({ submission }) => submission.outcome.success);
  const failed = runs.flatMap((one) =>
    one.submission.outcome.success
      ? []
      : [{ ...one, error: new HoldfastError('bot_failed', one.submission.outcome.error ?? undefined) }],
  );
  const completed = done.length > 0 ? await completeJobs(db, done, 'bot') : undefined;
  const retried = failed.length > 0 ? await retryJobsNow(db, failed, 'bot') : undefined;
  const nextRuns = await readNextRuns(db, held);
  const recorded = held.map(({ submission, lease }): RecordedSubmission => {
    const id = { id: submission.lease.jobId, fence: lease.fence };
    const status = (submission.outcome.success ? completed : retried)?.get(id);
    // Cannot happen: the jobs are locked, and the leases were checked under the lock.
    if (status === undefined || status === 'lost')
      throw new HoldfastError('internal_error', `job ${id.id} was lost in spite of its lock`);
    const answer = submission.outcome.success
      ? doneAnswer(submission, lease, nextRuns.get(lease.policy_id ?? ''))
      : failureAnswer(submission, lease, status);
    return { submission, held: id, resultId: lease.result_id, answer };
  });
  await recordSubmissions(db, recorded);
  return recorded;
}

/** Read after the transition, because the end of a job sets its policy's next run. */
async function readNextRuns(db: Queryable, held: readonly HeldSubmission[]): Promise<Map<string, Date>> {
  const ids = held.flatMap(({ lease }) => lease.policy_id ?? []);
  if (ids.length === 0) return new Map();
  return new Map((await run(db, nextRunStatement, [ids])).map(({ id, next_run_at }) => [id, next_run_at]));
}

function doneAnswer(
  { lease: { jobId }, outcome }: Submission,
  { result_id }: LockedLease,
  nextRun: Date | undefined,
): SubmissionAnswer {
  const { price, currency } = outcome.success ? outcome.result : { price: '0', currency: '' };
  const data = {
    result_id,
    job_id: jobId,
    status: 'done',
    price: new LosslessNumber(price),
    currency,
    policy_next_run: nextRun ? dialectTime(nextRun) : null,
  };
  return { status: 201, data: stringify(data) ?? '' };
}

const messages: Partial<Record<JobStatus, string>> = {
  pending: 'Job marked for retry',
  failed: 'Retries exhausted',
  paused: 'Job paused as requested',
  cancelled: 'Job cancelled as requested',
};

function failureAnswer(
  { lease: { jobId }, outcome }: Submission,
  { retry_count, max_retries }: LockedLease,
  status: JobStatus,
): SubmissionAnswer {
  const error = (outcome.success ? null : outcome.error) ?? 'The bot reported a failure';
  const data = {
    job_id: jobId,
    status,
    // Only a job that runs again has used a retry.
    retry_count: status === 'pending' ? retry_count + 1 : retry_count,
    max_retries,
    ...(status === 'failed' && { error }),
    message: messages[status],
  };
  return { status: 200, data: JSON.stringify(data) };
}

/**
 * Repeats the answer of a lease that has already submitted, and refuses the others. Needs its own statement: the first submit may
 * have committed while this one waited for the job.
 */
async function refuse(
  db: Queryable,
  refused: readonly HeldSubmission[],
): Promise<[Submission, SubmissionAnswer | HoldfastError][]> {
  const earlier = refused.filter(({ lease }) => lease.verdict === 'earlier');
  const rows =
    earlier.length > 0
      ? await run(db, earlierStatement, [
          earlier.map(({ submission }) => submission.lease.jobId),
          earlier.map(({ submission }) => submission.lease.token),
        ])
      : [];
  const answers = new Map(
    rows.map(({ job_id, fence, status, data }) => [`${job_id} ${fence}`, { status, data }]),
  );
  const idle = refused.filter(({ lease }) => lease.verdict === 'job_not_locked');
  const expired = await findLapsedLeases(
    db,
    idle.map(({ submission }) => submission.lease),
  );
  return refused.map(({ submission, lease: { verdict } }) => {
    const { jobId, token } = submission.lease;
    const answer = answers.get(`${jobId} ${token}`);
    if (verdict === 'earlier' && answer) return [submission, answer];
    const told = expired.has(submission.lease) ? 'lock_expired' : verdict;
    return [submission, leaseError(told, submission.lease)];
  });
}

/** A time in the form of the bot API: whole seconds, rounded down. */
export function dialectTime(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`;
}
