import type { JobRequest } from '@holdfast/contract';
import type { Queryable } from '../../../base/database/statement.ts';
import { actOnJob } from '../../../ops/jobs/act-on-job.ts';
import { claimJobs } from '../claim-jobs.ts';
import { completeJobs } from '../complete-jobs.ts';
import { crashJobs } from '../crash-jobs.ts';
import { enqueueJobs } from '../enqueue-jobs.ts';
import { failJobs } from '../fail-jobs.ts';
import type { HeldJob } from '../held-job.ts';
import { botLane, type Lane } from '../lane.ts';
import { pauseJobs } from '../pause-jobs.ts';
import { recoverJobs } from '../recover-jobs.ts';
import { releaseJobs } from '../release-jobs.ts';
import { retryJobsLater } from '../retry-jobs-later.ts';
import { crashed, crawlLane, dedupeKey, supervisor, user } from './step.ts';

/** The subject of a situation: the newest lease of its job, and an older lost one if there is one. */
export interface Stage {
  readonly job: HeldJob;
  readonly lost?: HeldJob;
  /** Another job with the same dedupe key. */
  readonly twin?: HeldJob;
  readonly lane: Lane;
}

export interface Situation {
  readonly name: string;
  readonly prepare: (db: Queryable) => Promise<Stage>;
}

const request: JobRequest = { kind: 'crawl', payload: { url: 'https://a.example/' }, dedupe_key: dedupeKey };
const botRequest: JobRequest = { ...request, kind: 'visit', executor: 'bot' } as JobRequest;

async function enqueued(db: Queryable, made: JobRequest = request): Promise<HeldJob> {
  const [answer] = await enqueueJobs(db, [made], user);
  if (!answer) throw new Error('nothing was enqueued');
  return { id: answer.job.id, fence: answer.job.fence };
}

async function claimed(db: Queryable, lane = crawlLane, workerId = 'w1'): Promise<HeldJob> {
  const [job] = await claimJobs(db, { lanes: [lane], limit: 1, workerId });
  if (!job) throw new Error('nothing was claimed');
  return { id: job.id, fence: job.fence };
}

/** The only way to be late in these tests: the lease ran out and no sweep has come yet. */
async function runOut(db: Queryable): Promise<void> {
  await db.query({
    text: "UPDATE crawl_jobs SET lease_expires_at = now() - interval '1 s' WHERE status = 'processing'",
  });
}

async function due(db: Queryable): Promise<void> {
  await db.query({
    text: "UPDATE crawl_jobs SET next_retry_at = now() - interval '1 s' WHERE status = 'retryable'",
  });
}

/** A running job whose lease ran out, so that the watchdog takes part; until it comes, the fence alone decides. */
async function running(db: Queryable, made: JobRequest = request, lane = crawlLane): Promise<Stage> {
  await enqueued(db, made);
  const job = await claimed(db, lane);
  await runOut(db);
  return { job, lane };
}

const asked = (action: 'pause' | 'cancel') => async (db: Queryable) => {
  const stage = await running(db);
  await actOnJob(db, action, stage.job.id, { actor: user });
  return stage;
};

export const runningJobs: readonly Situation[] = [
  { name: 'a running job', prepare: (db) => running(db) },
  { name: 'a job asked to pause', prepare: asked('pause') },
  { name: 'a job asked to cancel', prepare: asked('cancel') },
  { name: 'a job without retries left', prepare: (db) => running(db, { ...request, max_retries: 0 }) },
  { name: 'a job held by a bot', prepare: (db) => running(db, botRequest, botLane) },
];

async function failed(db: Queryable): Promise<HeldJob> {
  const { job } = await running(db);
  await failJobs(db, [{ ...job, error: crashed }], supervisor);
  return job;
}

export const waitingJobs: readonly Situation[] = [
  { name: 'a pending job', prepare: async (db) => ({ job: await enqueued(db), lane: crawlLane }) },
  {
    name: 'a retryable job that is due',
    prepare: async (db) => {
      const { job } = await running(db);
      await retryJobsLater(db, [{ ...job, error: crashed }], supervisor);
      await due(db);
      return { job, lane: crawlLane };
    },
  },
  {
    name: 'a paused job',
    prepare: async (db) => {
      const job = await enqueued(db);
      await pauseJobs(db, [job.id], user);
      return { job, lane: crawlLane };
    },
  },
];

export const failedTwins: Situation = {
  name: 'a failed job and a failed twin of its dedupe key',
  prepare: async (db) => ({ twin: await failed(db), job: await failed(db), lane: crawlLane }),
};

export const failedJob: Situation = {
  name: 'a failed job',
  prepare: async (db) => ({ job: await failed(db), lane: crawlLane }),
};

/** No job yet: concurrent requests with one key. */
export const emptyQueue: Situation = {
  name: 'an empty queue',
  prepare: async () => ({ job: { id: 'none', fence: 0 }, lane: crawlLane }),
};

/** The ways to lose a lease without knowing it. */
type Loss = (db: Queryable, stage: Stage) => Promise<unknown>;
const recovered: Loss = (db) => recoverJobs(db, 'watchdog:w2');
const expired: Loss = (db, { job }) => actOnJob(db, 'expire', job.id, { actor: user });
const reset: Loss = (db, { job }) => actOnJob(db, 'resetLock', job.id, { actor: user });
const retried: Loss = (db, { job }) => actOnJob(db, 'retry', job.id, { actor: user });
const cancelled: Loss = (db, { job }) => actOnJob(db, 'cancel', job.id, { actor: user });
const released: Loss = (db, { job }) => releaseJobs(db, [{ ...job, reason: 'drain' }], supervisor);
const died: Loss = (db, { job }) => crashJobs(db, [{ ...job, error: crashed }], supervisor);
const again: Loss = (db, { lane }) => claimed(db, lane, 'w2');
const completed: Loss = async (db, stage) => {
  await again(db, stage);
  return completeJobs(db, [{ ...stage.job, fence: stage.job.fence + 1 }], supervisor);
};

const losses: Record<string, readonly Loss[]> = {
  'was recovered': [recovered],
  'was recovered and claimed again': [recovered, again],
  'was recovered and completed by another': [recovered, completed],
  'was expired': [expired],
  'was expired and retried': [expired, retried],
  'was expired, retried and claimed again': [expired, retried, again],
  'had its lock reset': [reset],
  'had its lock reset and was claimed again': [reset, again],
  'was released and claimed again': [released, again],
  'crashed and was claimed again': [died, again],
  'was cancelled by its crash': [cancelled, died],
};

export const lostJobs: readonly Situation[] = Object.entries(losses).map(([name, steps]) => ({
  name,
  prepare: async (db) => {
    const stage = await running(db);
    for (const step of steps) await step(db, stage);
    await runOut(db);
    const { rows } = await db.query<HeldJob>({ text: 'SELECT id, fence FROM crawl_jobs' });
    return { ...stage, job: rows[0] ?? stage.job, lost: stage.job };
  },
}));
