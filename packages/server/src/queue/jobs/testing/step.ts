import { HoldfastError, type UserAction } from '@holdfast/contract';
import type { Queryable } from '../../../base/database/statement.ts';
import { pruneJobs } from '../../../crawl/retention/prune-jobs.ts';
import { actOnJob } from '../../../ops/jobs/act-on-job.ts';
import { claimJobs } from '../claim-jobs.ts';
import { claimOneJob } from '../claim-one-job.ts';
import { completeJobs } from '../complete-jobs.ts';
import { crashJobs } from '../crash-jobs.ts';
import { enqueueJobs } from '../enqueue-jobs.ts';
import { failJobs } from '../fail-jobs.ts';
import { failStarts } from '../fail-starts.ts';
import type { HeldJob, LeaseAnswers } from '../held-job.ts';
import type { Lane } from '../lane.ts';
import { recoverJobs } from '../recover-jobs.ts';
import { releaseJobs } from '../release-jobs.ts';
import { renewLeases } from '../renew-leases.ts';
import { retryJobs } from '../retry-jobs.ts';
import { retryJobsLater } from '../retry-jobs-later.ts';
import { retryJobsNow } from '../retry-jobs-now.ts';
import type { Stage } from './situation.ts';

export const user = 'user:ann';
export const supervisor = 'supervisor:w1';
export const dedupeKey = 'red';
export const crashed = new HoldfastError('runner_crashed');
export const crawlLane: Lane = { kind: 'crawl', executor: 'builtin', leaseSeconds: 120 };

/** An action on a job, and its answer. */
export interface Step {
  readonly name: string;
  readonly act: (db: Queryable, stage: Stage) => Promise<unknown>;
  /** The answer of a statement that skips locked rows. */
  readonly skipped?: unknown;
}

type Write = (db: Queryable, job: HeldJob) => Promise<LeaseAnswers<unknown>>;

const writes: Record<string, Write> = {
  renew: (db, job) => renewLeases(db, [{ ...job, progress: 40 }]),
  complete: (db, job) => completeJobs(db, [job], supervisor),
  retryLater: (db, job) => retryJobsLater(db, [{ ...job, error: crashed }], supervisor),
  retryNow: (db, job) => retryJobsNow(db, [{ ...job, error: crashed }], 'bot:b1'),
  fail: (db, job) => failJobs(db, [{ ...job, error: crashed }], supervisor),
  release: (db, job) => releaseJobs(db, [{ ...job, reason: 'drain' }], supervisor),
  'release with a not-before': (db, job) =>
    releaseJobs(db, [{ ...job, reason: 'blocked', notBeforeSeconds: 60 }], supervisor),
  failStart: (db, job) =>
    failStarts(db, [{ ...job, payload: {} }], {
      workerId: 'w1',
      detail: 'SIGKILL',
      heartbeatSeconds: 10,
      wasWell: true,
    }),
  crash: (db, job) => crashJobs(db, [{ ...job, error: crashed }], supervisor),
};

const holderSteps: readonly Step[] = Object.entries(writes).map(([name, write]) => ({
  name,
  act: async (db, { job }) => (await write(db, job)).get(job),
  ...(name === 'renew' && { skipped: 'busy' }),
}));

/** The same step by a holder who lost the lease. */
export const lostHolderSteps: readonly Step[] = Object.entries(writes).map(([name, write]) => ({
  name,
  act: async (db, { lost, job }) => (await write(db, lost ?? job)).get(lost ?? job),
}));

const ask = (action: UserAction): Step => ({
  name: action,
  act: async (db, { job }) => answerOf(() => actOnJob(db, action, job.id, { actor: user })),
});

async function answerOf(act: () => ReturnType<typeof actOnJob>): Promise<unknown> {
  try {
    const { status, requested_action, fence } = await act();
    return { status, requested_action, fence };
  } catch (error) {
    if (error instanceof HoldfastError) return error.code;
    throw error;
  }
}

const claim = (workerId: string): Step => ({
  name: `claim by ${workerId}`,
  act: async (db, { lane }) =>
    (await claimJobs(db, { lanes: [lane], limit: 1, workerId })).map(({ id, fence }) => ({ id, fence })),
  skipped: [],
});

const claimAlone: Step = {
  name: 'claim of the job alone',
  act: async (db, { job, lane }) =>
    (await claimOneJob(db, job.id, { lanes: [lane], workerId: 'w3' })).map(({ id, fence }) => ({
      id,
      fence,
    })),
  skipped: [],
};

const recover: Step = {
  name: 'recover',
  act: async (db) =>
    (await recoverJobs(db, 'watchdog:w2')).map(({ id, status, prior_worker }) => ({
      id,
      status,
      prior_worker,
    })),
  skipped: [],
};

/** Several steps in one: afterwards the job runs again, and only the fence distinguishes its two holders. */
const recoverAndClaim: Step = {
  name: 'recover and claim by w2',
  act: async (db, stage) => [await recover.act(db, stage), await claim('w2').act(db, stage)],
  skipped: [[], []],
};

const prune: Step = { name: 'prune', act: (db) => pruneJobs(db, -1), skipped: 0 };

const enqueue = (name: string, key: 'dedupe_key' | 'idempotency_key'): Step => ({
  name,
  act: async (db) => {
    const request = { kind: 'crawl' as const, payload: { url: 'https://b.example/' }, [key]: dedupeKey };
    return (await enqueueJobs(db, [request], user)).map(({ job, outcome }) => ({ id: job.id, outcome }));
  },
});

const retryTwin: Step = {
  name: 'retry of the twin',
  act: async (db, { twin }) => twin && answerOf(() => actOnJob(db, 'retry', twin.id, { actor: user })),
};

const retryBoth: Step = {
  name: 'retry of the job and its twin in bulk',
  act: async (db, { job, twin }) =>
    (await retryJobs(db, [job.id, twin?.id ?? job.id], user)).map(({ id, status }) => ({ id, status })),
};

const cancel = ask('cancel');
const retry = ask('retry');
const enqueueTwin = enqueue('enqueue with the same dedupe key', 'dedupe_key');

export const runningSteps: readonly Step[] = [
  ...holderSteps,
  ...[ask('pause'), ask('resume'), cancel, ask('expire'), ask('resetLock'), retry],
  ...[recover, claim('w2'), recoverAndClaim, enqueueTwin],
];

export const waitingSteps: readonly Step[] = [
  ...[claim('w1'), claim('w2'), claimAlone, ask('pause'), ask('resume'), cancel, retry, enqueueTwin],
];

export const failedSteps: readonly Step[] = [retry, enqueueTwin, claim('w1'), prune];

export const twinSteps: readonly Step[] = [retry, retryTwin, retryBoth, enqueueTwin, claim('w1')];

export const enqueueSteps: readonly Step[] = [
  enqueueTwin,
  enqueue('enqueue with the same idempotency key', 'idempotency_key'),
];
