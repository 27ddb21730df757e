import {
  type ErrorCode,
  HoldfastError,
  type Job,
  type JobRequest,
  type UserAction,
  userActions,
} from '@holdfast/contract';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Queryable } from '../../../base/database/statement.ts';
import { pruneJobs } from '../../../crawl/retention/prune-jobs.ts';
import { actOnJob } from '../../../ops/jobs/act-on-job.ts';
import { cancelJobs } from '../cancel-jobs.ts';
import { type ClaimedJob, claimJobs } from '../claim-jobs.ts';
import { claimOneJob } from '../claim-one-job.ts';
import { enqueueJobs } from '../enqueue-jobs.ts';
import { expireJobs } from '../expire-jobs.ts';
import { botLane, type Lane, wholeLane } from '../lane.ts';
import { pauseJobs } from '../pause-jobs.ts';
import { recoverJobs } from '../recover-jobs.ts';
import { resetLocks } from '../reset-locks.ts';
import { resumeJobs } from '../resume-jobs.ts';
import { retryJobs } from '../retry-jobs.ts';
import { runJobsNow } from '../run-jobs-now.ts';
import { holderCommands } from './holder-commands.ts';
import type { JobRecord } from './job-record.ts';
import { command, type QueueCommand } from './queue-command.ts';
import type { QueueModel } from './queue-model.ts';

const url = (name: string) => ({ url: `https://${name}.example/` });
const lanes: readonly Lane[] = [
  { kind: 'crawl', executor: 'builtin', leaseSeconds: 120 },
  { kind: 'visit', executor: 'builtin', leaseSeconds: 120 },
  { kind: 'collect', executor: 'builtin', leaseSeconds: 300 },
  botLane,
];
const user = 'user:ann';
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const work = fc.oneof(
  fc.record({ kind: fc.constant('crawl' as const), payload: fc.constantFrom(url('a'), url('b')) }),
  fc.record({
    kind: fc.constant('visit' as const),
    payload: fc.constantFrom(url('a'), url('b')),
    executor: fc.constantFrom('builtin' as const, 'bot' as const),
  }),
  fc.record({ kind: fc.constant('collect' as const), payload: fc.constant({ query: { year: 1909 } }) }),
);
const request = fc.record({
  work,
  priority: fc.integer({ min: -1, max: 2 }),
  waitSeconds: sometimes(fc.constantFrom(-60, 30, 400)),
  dedupe_key: sometimes(fc.constantFrom('red', 'red', 'red', 'blue')),
  idempotency_key: fc.option(fc.constantFrom('one', 'two'), { nil: undefined, freq: 4 }),
  max_retries: fc.integer({ min: 0, max: 3 }),
  retry_backoff_seconds: fc.constantFrom(60, 300, 40_000),
  timeout_seconds: sometimes(fc.constantFrom(100, 900)),
  lock_ttl_seconds: sometimes(fc.constantFrom(50, 200)),
  user_id: fc.constantFrom('ann', 'ann', 'bob'),
});
type RequestDraft = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** Drops undefined fields and gives each job a distinct start, so that the order of claims is determined. */
function toRequest(
  { work, waitSeconds, ...fields }: RequestDraft,
  model: QueueModel,
  position: number,
): JobRequest {
  const distinct = model.jobs.length + position;
  const startMs = Math.floor(model.now / 1000) + (waitSeconds ?? 0) * 1000 + distinct;
  const draft = {
    ...fields,
    run_at: waitSeconds === undefined ? undefined : new Date(startMs).toISOString(),
  };
  const given = Object.entries(draft).filter(([, value]) => value !== undefined);
  return { ...work, ...Object.fromEntries(given) } as JobRequest;
}

/** No duplicate idempotency keys in one call: which request owned it would be random. */
const requests = fc.uniqueArray(request, {
  minLength: 1,
  maxLength: 3,
  selector: ({ idempotency_key }) => idempotency_key ?? Symbol('none'),
});

const enqueue = requests.map((drafts) =>
  command(`enqueue ${fc.stringify(drafts)}`, async (model, db) => {
    const requests = drafts.map((draft, position) => toRequest(draft, model, position));
    const answers = await enqueueJobs(db, requests, user);
    const expected = model.enqueue(requests, user);
    for (const [position, { job, outcome }] of expected.entries())
      if (outcome === 'created') name(model, job, answers[position]?.job.id ?? 'none');
    expect(answers.map(({ job, outcome }) => [job.id, outcome])).toEqual(
      expected.map(({ job, outcome }) => [job.id, outcome]),
    );
  }),
);

function name(model: QueueModel, job: JobRecord, id: string): void {
  for (const event of model.events) if (event.job_id === job.id) event.job_id = id;
  job.id = id;
}

const claimAnswer = ({ id, fence, priority, retry_count, lease_seconds }: ClaimedJob | JobRecord) => ({
  id,
  fence,
  priority,
  retry_count,
  lease_seconds,
});

/** A claim in ranges, as ClaimPositions plans them, takes the same jobs as a claim of whole lanes. */
const claim = fc
  .record({
    lanes: fc.shuffledSubarray([...lanes], { minLength: 1 }),
    limit: fc.integer({ min: 1, max: 4 }),
    worker: fc.constantFrom('w1', 'w2'),
    due: fc.constantFrom(true, true, true, false),
    cut: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined }),
  })
  .map((options) =>
    command(`claim ${fc.stringify(options)}`, async (model, db) => {
      const { limit, worker, due, cut } = options;
      const ranges = options.lanes.map(wholeLane).flatMap((lane) =>
        cut === undefined
          ? [lane]
          : [
              { ...lane, lowest: cut + 1 },
              { ...lane, highest: cut },
            ],
      );
      const claimed = await claimJobs(db, { lanes: options.lanes, limit, workerId: worker, due, ranges });
      const role = options.lanes.includes(botLane) ? 'bot' : 'supervisor';
      const took = claimed.map(({ id }) => id);
      const expected = model.claim(options.lanes, limit, worker, `${role}:${worker}`, due, took);
      expect(claimed.map(claimAnswer)).toEqual(expected.map(claimAnswer));
    }),
  );

const claimOne = fc
  .record({ pick: fc.nat(50), lane: fc.constantFrom(...lanes.slice(0, 3)) })
  .map(({ pick, lane }) =>
    command(
      `claim of job ${pick} alone as ${lane.kind}`,
      async (model, db) => {
        const job = model.jobs[pick % model.jobs.length] as JobRecord;
        const claimed = await claimOneJob(db, job.id, { lanes: [lane], workerId: 'w3' });
        const expected = model.claimOne(job, lane, 'w3', 'supervisor:w3');
        expect(claimed.map(claimAnswer)).toEqual(expected.map(claimAnswer));
      },
      ({ jobs }) => jobs.length > 0,
    ),
  );

const bulk = {
  runNow: runJobsNow,
  pause: pauseJobs,
  resume: resumeJobs,
  cancel: cancelJobs,
  expire: expireJobs,
  resetLock: resetLocks,
} as const;
/** Null stands for the job that changed last, so that long histories of one job are tested. */
const pick = fc.option(fc.nat(50), { nil: null, freq: 2 });
const chosen = fc.record({ picks: fc.array(pick, { minLength: 1, maxLength: 4 }), afresh: fc.boolean() });
type Chosen = typeof chosen extends fc.Arbitrary<infer T> ? T : never;

function picked(model: QueueModel, pick: number | null): JobRecord {
  const job = model.jobs[(pick ?? 0) % model.jobs.length] as JobRecord;
  return pick === null ? (model.latest ?? job) : job;
}

const askOne = (action: UserAction) =>
  chosen.map(({ picks: [pick = null], afresh }) =>
    command(
      `${action}${action === 'retry' && afresh ? ' afresh' : ''} of job ${pick ?? 'touched last'}`,
      async (model, db) => {
        const job = picked(model, pick);
        if (model.isRerun(action, job)) return rerunOne(model, db, job, afresh);
        const repeated = model.isRepeated(action, job);
        const refusal = repeated ? undefined : model.refusal(action, job);
        if (!refusal && !repeated) model.act(action, job, user, afresh);
        const answer = await ask(db, action, job.id, afresh);
        expect(typeof answer === 'string' ? answer : answer.status).toBe(refusal ?? job.status);
      },
      ({ jobs }) => jobs.length > 0,
    ),
  );

async function rerunOne(model: QueueModel, db: Queryable, older: JobRecord, afresh: boolean): Promise<void> {
  const answer = await ask(db, 'retry', older.id, afresh);
  const expected = model.rerun(older, user);
  const newId = typeof answer === 'string' ? 'none' : answer.id;
  if (expected?.outcome === 'created') name(model, expected.job, newId);
  expect(typeof answer === 'string' ? answer : [answer.id, answer.status]).toEqual(
    expected ? [expected.job.id, expected.job.status] : 'live_job_exists',
  );
}

/** The job after the action, or the error code. */
async function ask(db: Queryable, action: UserAction, id: string, afresh: boolean): Promise<Job | string> {
  try {
    return await actOnJob(db, action, id, { actor: user, afresh });
  } catch (error) {
    if (error instanceof HoldfastError) return error.code satisfies ErrorCode;
    throw error;
  }
}

/** Bulk actions skip jobs that do not allow them; of several retries with one dedupe key, the newest job wins. */
const askMany = (action: UserAction) =>
  chosen.map((choice: Chosen) =>
    command(
      `${action} of jobs ${fc.stringify(choice.picks)} in bulk`,
      async (model, db) => {
        const jobs = [...new Set(choice.picks.map((pick) => picked(model, pick)))];
        const ids = jobs.map(({ id }) => id);
        const changed =
          action === 'retry'
            ? await retryJobs(db, ids, user, { afresh: choice.afresh })
            : await bulk[action](db, ids, user);
        const expected = model.jobs
          .filter((job) => jobs.includes(job))
          .reverse()
          .filter((job) => {
            // The statement for retries leaves completed jobs alone.
            const allowed = !model.isRerun(action, job) && !model.refusal(action, job);
            if (allowed) model.act(action, job, user, choice.afresh);
            return allowed;
          });
        expect(changed.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
      },
      ({ jobs }) => jobs.length > 0,
    ),
  );

const recover = fc.constantFrom(0, 121, 301, 601).map((seconds) =>
  command(
    `recover after ${seconds} s`,
    async (model, db) => {
      const recovered = await recoverJobs(db, 'watchdog:w1');
      const priorWorkers = new Map(model.jobs.map(({ id, worker_id }) => [id, worker_id]));
      const expected = model.recover('watchdog:w1').map(({ id, status, retry_count, max_retries }) => ({
        id,
        status,
        prior_worker: priorWorkers.get(id),
        retry_count,
        max_retries,
      }));
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      expect(recovered.toSorted(byId)).toEqual(expected.sort(byId));
    },
    undefined,
    seconds,
  ),
);

/** A retention time that ends in the future, so that every finished job is old enough. */
const prune = fc.constant(
  command('prune', async (model, db) => {
    expect(await pruneJobs(db, -1)).toBe(model.prune());
  }),
);

const pass = fc
  .constantFrom(1, 40, 121, 301, 601, 4_000, 100_000)
  .map((seconds) => command(`${seconds} s pass`, async () => undefined, undefined, seconds));

/** Commands listed several times are those that others depend on. */
export const queueCommands: fc.Arbitrary<QueueCommand>[] = [
  ...[enqueue, enqueue, enqueue, enqueue, claim, claim, claim, claim, claim, claim],
  ...[pass, pass, pass, recover, recover, prune, claimOne],
  ...holderCommands,
  ...userActions.flatMap((action) => [askOne(action), askMany(action)]),
];
