import type { HoldfastError } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { retryTransient } from '../../base/database/transient-errors.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { completeJobs } from './complete-jobs.ts';
import { failJobs } from './fail-jobs.ts';
import type { LeaseAnswers, WriteOutcome } from './held-job.ts';
import { releaseJobs } from './release-jobs.ts';
import { retryJobsLater } from './retry-jobs-later.ts';
import { type BlockedBy, blockedReason } from './waiting-jobs.ts';

/**
 * Why a run has to end before its work is done: somebody asked for it (pause, cancel), its lease is lost and nothing may be written
 * any more, or its supervisor ends it.
 */
export type StopReason = 'pause' | 'cancel' | 'lost' | keyof typeof supervisorEnds;

/** The reason in the event of a job that its supervisor gives back. */
export const supervisorEnds = {
  drain: 'the supervisor is stopping',
  gone: 'the supervisor is gone',
  silent: 'the supervisor is silent',
} as const;

/** What a run that is over leaves behind. */
export type RunEnd =
  | { readonly how: 'completed' }
  /** Nothing may be written: another holder may have the job. */
  | { readonly how: 'lost' }
  /** Given back unfinished; no retry is burned. */
  | { readonly how: 'released'; readonly reason: string }
  /** Given back until its source may be asked again; no retry is burned. */
  | { readonly how: 'blocked'; readonly by: BlockedBy; readonly seconds: number }
  | {
      readonly how: 'failed';
      readonly error: HoldfastError;
      /** No retry would help. */
      readonly isFinal: boolean;
      readonly retryAfterSeconds?: number | undefined;
      /** Where it failed: whoever resumes that source has the job tried again. */
      readonly blockedBy?: BlockedBy | undefined;
    };

export interface RunHolder {
  readonly db: Queryable;
  readonly actor: string;
  /** By the monotonic clock; a database that is away is waited for until then. */
  readonly leaseEnds: () => number;
}

/**
 * Ends the run of a job. Every way is one fenced statement: repeated after a lost answer, it finds the lease gone, changes nothing
 * and answers `lost`.
 */
export async function endRun(job: ClaimedJob, end: RunEnd, holder: RunHolder): Promise<WriteOutcome> {
  if (end.how === 'lost') return 'lost';
  const answers = await retryTransient(
    () => performance.now() < holder.leaseEnds(),
    () => write(job, end, holder),
  );
  return answers.get(job) ?? 'lost';
}

function write(
  job: ClaimedJob,
  end: Exclude<RunEnd, { how: 'lost' }>,
  { db, actor }: RunHolder,
): Promise<LeaseAnswers<WriteOutcome>> {
  switch (end.how) {
    case 'completed':
      return completeJobs(db, [job], actor);
    case 'released':
      return releaseJobs(db, [{ ...job, reason: end.reason }], actor);
    case 'blocked': {
      const { by, seconds } = end;
      const release = { ...job, reason: blockedReason(by), notBeforeSeconds: seconds, blockedBy: by };
      return releaseJobs(db, [release], actor);
    }
    case 'failed': {
      const { error, isFinal, retryAfterSeconds, blockedBy } = end;
      const failed = [
        { ...job, error, blockedBy, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
      ];
      return isFinal ? failJobs(db, failed, actor) : retryJobsLater(db, failed, actor);
    }
  }
}
