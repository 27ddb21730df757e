import { HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { whilePassing } from '../../base/database/while-passing.ts';
import { SourceBlocked } from '../../governor/fetching/source-blocked.ts';
import { type BlockedBy, blockedReason } from '../../queue/jobs/blocked-by.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { failJobs } from '../../queue/jobs/fail-jobs.ts';
import type { LeaseAnswers, WriteOutcome } from '../../queue/jobs/held-job.ts';
import { releaseJobs } from '../../queue/jobs/release-jobs.ts';
import { retryJobsLater } from '../../queue/jobs/retry-jobs-later.ts';
import { type StopReason, supervisorEnds } from './messages.ts';

export interface BadEnd {
  readonly db: Queryable;
  readonly log: Logger;
  readonly actor: string;
  /** What the run failed with. */
  readonly error: unknown;
  /** Set if it was told to stop. */
  readonly stopped: StopReason | undefined;
  /** Set if its time was up: how much it had. */
  readonly timeUpSeconds: number | undefined;
  /** By the monotonic clock; a database that is away is waited for until then. */
  readonly leaseEnds: () => number;
  /** Where it failed, as far as is known. */
  readonly failedAt?: (job: ClaimedJob) => BlockedBy | undefined;
}

/** Gives the job of a run that came to nothing its holder's answer. Throws what is no error of the job. */
export async function endRun(job: ClaimedJob, end: BadEnd): Promise<WriteOutcome> {
  const { db, log, actor, error, stopped, timeUpSeconds, leaseEnds } = end;
  // One fenced statement each: repeated after a lost answer, it finds the lease gone, changes nothing and answers `lost`.
  const write = async (statement: () => Promise<LeaseAnswers<WriteOutcome>>) =>
    (await whilePassing(() => performance.now() < leaseEnds(), statement)).get(job) ?? 'lost';
  // A lease that ran out here may still be ours in the database: the job is recovered with it, and has not failed.
  if (stopped === 'lost' || (error instanceof HoldfastError && error.code === 'lease_lost')) return 'lost';
  if (stopped) {
    const isAsked = stopped === 'pause' || stopped === 'cancel';
    const reason = isAsked ? `${stopped} requested` : supervisorEnds[stopped];
    return await write(() => releaseJobs(db, [{ ...job, reason }], actor));
  }
  if (error instanceof SourceBlocked) {
    const { by, seconds } = error;
    const release = { ...job, reason: blockedReason(by), notBeforeSeconds: seconds, blockedBy: by };
    return await write(() => releaseJobs(db, [release], actor));
  }
  const known =
    timeUpSeconds !== undefined
      ? new HoldfastError('run_timed_out', `after ${timeUpSeconds} s`)
      : error instanceof HoldfastError
        ? error
        : undefined;
  // Not an error of the job: the database is away, or we are wrong. The lease runs out and the job is tried again.
  if (!known) throw error;
  log.info({ job: job.id, code: known.code }, `A ${job.kind} job failed: ${known.message}`);
  const failed = [{ ...job, error: known, ...retryAfter(error), blockedBy: end.failedAt?.(job) }];
  const failure = known.retry === 'never' ? failJobs : retryJobsLater;
  return await write(() => failure(db, failed, actor));
}

function retryAfter(error: unknown): { retryAfterSeconds?: number } {
  const { retryAfterSeconds } = error as { retryAfterSeconds?: number };
  return retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
}
