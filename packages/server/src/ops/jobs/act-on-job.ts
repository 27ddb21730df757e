import { allowedActions, HoldfastError, type Job, type JobAction, type UserAction } from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import { hasPagesToRetry } from '../../crawl/frontier/return-pages.ts';
import { cancelJobs } from '../../queue/jobs/cancel-jobs.ts';
import { expireJobs } from '../../queue/jobs/expire-jobs.ts';
import { liveJobConflict, showJob } from '../../queue/jobs/find-jobs.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';
import { liveRerun, rerunJobs } from '../../queue/jobs/rerun-jobs.ts';
import { resetLocks } from '../../queue/jobs/reset-locks.ts';
import { resumeJobs } from '../../queue/jobs/resume-jobs.ts';
import { type RetryOptions, retryJobs } from '../../queue/jobs/retry-jobs.ts';
import { runJobsNow } from '../../queue/jobs/run-jobs-now.ts';
import { isEarly } from '../../queue/jobs/waiting-jobs.ts';
import { findWait } from './find-waits.ts';

const byAction = {
  runNow: runJobsNow,
  pause: pauseJobs,
  resume: resumeJobs,
  cancel: cancelJobs,
  expire: expireJobs,
  resetLock: resetLocks,
} as const;

export interface ActOptions extends RetryOptions {
  readonly actor?: string;
  /** Whether a retry also runs completed jobs again. */
  readonly rerun?: boolean;
}

/** Performs an action on one job, or throws with the reason why not. The retry of a completed job returns the new job. */
export async function actOnJob(
  db: Queryable,
  action: UserAction,
  id: string,
  { actor = 'user:local', ...options }: ActOptions = {},
): Promise<Job> {
  await showJob(db, id);
  const [changed] = await actOnJobs(db, action, [id], { actor, ...options });
  if (changed) return changed;
  const job = await showJob(db, id);
  const held = action === 'runNow' ? await heldByOperator(db, job) : undefined;
  if (held) throw held;
  if (isDoneAlready(action, job)) return job;
  const again = action === 'retry' && job.status === 'completed' && (await liveRerun(db, id));
  if (again) return again;
  throw await whyNot(db, action, job, options.afresh);
}

/** Starting a job does not override an operator who paused its source. */
async function heldByOperator(db: Queryable, job: Job): Promise<HoldfastError | undefined> {
  const wait = await findWait(db, job);
  if (wait?.reason !== 'source') return undefined;
  return new HoldfastError('action_not_allowed', `run-now of job ${job.id}: ${wait.text}`, {
    hint: `${wait.ends} run-now does not override an operator.`,
  });
}

/** A repeated request, after a lost answer or by somebody else, is already fulfilled. */
function isDoneAlready(
  action: UserAction,
  { status, requested_action }: Pick<Job, 'status' | 'requested_action'>,
): boolean {
  // A completed job may still have a request, which came too late.
  const isAsked = status === 'processing' && requested_action === action;
  if (action === 'runNow') return status === 'pending';
  if (action === 'pause') return status === 'paused' || isAsked;
  return action === 'cancel' && (status === 'cancelled' || isAsked);
}

/** Performs an action on the jobs that allow it, and returns those. */
export async function actOnJobs(
  db: Queryable,
  action: UserAction,
  ids: readonly string[],
  { actor = 'user:local', rerun = true, ...options }: ActOptions = {},
): Promise<Job[]> {
  if (action === 'retry') {
    const retried = await retryJobs(db, ids, actor, options);
    if (!rerun || retried.length === ids.length) return retried;
    return [...retried, ...(await rerunJobs(db, ids, actor, options.reason))];
  }
  return byAction[action](db, ids, actor, options.reason);
}

async function whyNot(db: Queryable, action: UserAction, job: Job, afresh = false): Promise<HoldfastError> {
  const { id } = job;
  const allowed = await actionsNow(db, job);
  if (allowed.includes(action)) {
    const overtaken = await liveJobConflict(db, id);
    if (overtaken) return overtaken;
  }
  if (afresh && allowed.includes(action)) {
    return new HoldfastError(
      'action_not_allowed',
      `later crawls compare with job ${id} and share its pages`,
      {
        hint: 'Retry it from its checkpoint, or create a new crawl.',
      },
    );
  }
  const asked = job.requested_action ? `, asked to ${job.requested_action}` : '';
  return new HoldfastError('action_not_allowed', `${action} of job ${id}, which is ${job.status}${asked}`, {
    hint: allowed.length
      ? `Allowed now: ${allowed.join(', ')}.`
      : `It is finished: delete it (\`holdfast jobs delete ${id}\`), or create a new job.`,
    details: [{ field: 'allowed_actions', message: allowed.join(', ') }],
  });
}

/** The actions that a user can perform now. The status may allow retryUrls when no page can be retried. */
export async function actionsNow(
  db: Queryable,
  job: Pick<Job, 'id' | 'status' | 'requested_action' | 'kind' | 'run_at' | 'next_retry_at'>,
): Promise<JobAction[]> {
  const { id, status, requested_action, kind } = job;
  const actions = allowedActions(status, requested_action, kind, isEarly(job));
  if (!actions.includes('retryUrls') || (await hasPagesToRetry(db, id))) return actions;
  return actions.filter((action) => action !== 'retryUrls');
}
