import { HoldfastError, type PolicyRequest } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { actor, crawlLane, transient } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import type { ClaimedJob } from '../jobs/claim-jobs.ts';
import { completeJobs } from '../jobs/complete-jobs.ts';
import { crashJobs } from '../jobs/crash-jobs.ts';
import { failJobs } from '../jobs/fail-jobs.ts';
import { listJobs, showJob } from '../jobs/find-jobs.ts';
import { botLane } from '../jobs/lane.ts';
import { recoverJobs } from '../jobs/recover-jobs.ts';
import { releaseJobs } from '../jobs/release-jobs.ts';
import { retryJobsLater } from '../jobs/retry-jobs-later.ts';
import { retryJobsNow } from '../jobs/retry-jobs-now.ts';
import { createDueJobs } from './scheduler.ts';
import { PolicyFixture, scheduler } from './testing/policy-fixture.ts';

const policies = new PolicyFixture();
const minute = 60;
const hours = 3600;
const permanent = new HoldfastError('page_refused', 'gone');
const builtin = { kind: 'crawl', frequency_hours: 6 } as const;
const byBot = { kind: 'visit', executor: 'bot', frequency_hours: 6 } as const;

type Way = (job: ClaimedJob) => Promise<unknown>;
const complete: Way = (job) => completeJobs(policies.pool, [job], actor);
const fail: Way = (job) => failJobs(policies.pool, [{ ...job, error: permanent }], actor);
const retryLater: Way = (job) => retryJobsLater(policies.pool, [{ ...job, error: transient }], actor);
const retryNow: Way = (job) => retryJobsNow(policies.pool, [{ ...job, error: transient }], 'bot:b1');
const crash: Way = (job) => crashJobs(policies.pool, [{ ...job, error: transient }], actor);
const release: Way = (job) => releaseJobs(policies.pool, [{ ...job, reason: 'drain' }], actor);
const recover: Way = async () => {
  await policies.passSeconds(100_000);
  await recoverJobs(policies.pool, 'watchdog:w1');
};
const act = (action: 'cancel' | 'expire' | 'resetLock' | 'pause') => (job: ClaimedJob) =>
  actOnJob(policies.pool, action, job.id);
/** A running job is asked to, and ends as its holder lets go. */
const cancelThen =
  (way: Way): Way =>
  async (job) => {
    await act('cancel')(job);
    await way(job);
  };

/** Makes the job of a policy and claims it. */
async function running(fields: Partial<PolicyRequest>): Promise<{ policyId: string; job: ClaimedJob }> {
  const { policy } = await policies.scheduled(fields);
  return { policyId: policy.id, job: await policies.claimOne([crawlLane, botLane]) };
}

describe('success', () => {
  test('runs a policy again after its frequency, and forgets its failures', async () => {
    const { policyId, job } = await running(builtin);
    await policies.pool.query('UPDATE crawl_policies SET failure_count = 4');
    await complete(job);
    expect(await policies.find(policyId)).toMatchObject({
      failure_count: 0,
      live_job_id: null,
      last_failed_at: null,
      last_success_at: (await showJob(policies.pool, job.id)).completed_at,
    });
    expect(await policies.secondsToNextRun(policyId)).toBeCloseTo(6 * hours, -2);
  });

  test('counts also when it comes after a cancel was asked for', async () => {
    const { policyId, job } = await running(builtin);
    await cancelThen(complete)(job);
    expect(await policies.find(policyId)).toMatchObject({
      failure_count: 0,
      last_success_at: expect.any(Date),
    });
  });
});

describe('final failure', () => {
  const spent = { max_retries: 0 };
  test.each<[string, Partial<PolicyRequest>, Way, string]>([
    ['fail', builtin, fail, 'failed'],
    ['retryLater without retries left', { ...builtin, ...spent }, retryLater, 'failed'],
    ['retryNow without retries left', { ...byBot, ...spent }, retryNow, 'failed'],
    ['crash without retries left', { ...builtin, ...spent }, crash, 'failed'],
    ['recover without retries left', { ...builtin, ...spent }, recover, 'failed'],
    ['recover without retries left, held by a bot', { ...byBot, ...spent }, recover, 'expired'],
    ['expire by an operator', builtin, act('expire'), 'expired'],
    ['expire by an operator, held by a bot', byBot, act('expire'), 'expired'],
  ])('by %s backs off and counts', async (_, fields, way, status) => {
    const { policyId, job } = await running({ ...fields, retry_backoff_minutes: 5 });
    await way(job);
    expect((await showJob(policies.pool, job.id)).status).toBe(status);
    expect(await policies.find(policyId)).toMatchObject({
      failure_count: 1,
      live_job_id: null,
      last_success_at: null,
      last_failed_at: expect.any(Date),
    });
    expect(await policies.secondsToNextRun(policyId)).toBeCloseTo(5 * minute, -2);
  });

  test('doubles the wait with each one that follows: 5, 10, 20, 40 minutes, up to a day', async () => {
    const { policyId, job } = await running({ ...builtin, retry_backoff_minutes: 5 });
    const waits: number[] = [];
    for (let failure = 1, run: ClaimedJob = job; failure <= 11; failure++) {
      await fail(run);
      expect((await policies.find(policyId)).failure_count).toBe(failure);
      waits.push(Math.round((await policies.secondsToNextRun(policyId)) / minute));
      await policies.makeDue(policyId);
      await createDueJobs(policies.pool, scheduler);
      run = await policies.claimOne();
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]);
  });

  test('of the ten-thousandth time still waits a day', async () => {
    const { policyId, job } = await running({ ...builtin, retry_backoff_minutes: 1440 });
    await policies.pool.query('UPDATE crawl_policies SET failure_count = 9999');
    await fail(job);
    expect(await policies.secondsToNextRun(policyId)).toBeCloseTo(24 * hours, -2);
  });
});

describe('cancellation', () => {
  test.each<[string, Way]>([
    ['released', cancelThen(release)],
    ['failed', cancelThen(fail)],
    ['sent to retry', cancelThen(retryLater)],
    ['crashed', cancelThen(crash)],
    ['recovered', cancelThen(recover)],
  ])('of a running job that is then %s runs it again after its frequency', async (_, way) => {
    const { policyId, job } = await running(builtin);
    await policies.pool.query('UPDATE crawl_policies SET failure_count = 4');
    await way(job);
    expect((await showJob(policies.pool, job.id)).status).toBe('cancelled');
    expect(await policies.find(policyId)).toMatchObject({
      failure_count: 4,
      live_job_id: null,
      last_success_at: null,
      last_failed_at: null,
    });
    expect(await policies.secondsToNextRun(policyId)).toBeCloseTo(6 * hours, -2);
  });

  test('of a job that waits runs it again after its frequency', async () => {
    const { policy, job } = await policies.scheduled(builtin);
    await policies.makeDue(policy.id, 7 * hours);
    await actOnJob(policies.pool, 'cancel', job.job_id);
    expect(await policies.find(policy.id)).toMatchObject({ failure_count: 0, live_job_id: null });
    expect(await policies.secondsToNextRun(policy.id)).toBeCloseTo(6 * hours, -2);
  });
});

describe('a run that ends and leaves the job alive', () => {
  test.each<[string, Partial<PolicyRequest>, Way]>([
    ['retryLater with retries left', builtin, retryLater],
    ['retryNow with retries left', byBot, retryNow],
    ['crash with retries left', builtin, crash],
    ['recover with retries left', builtin, recover],
    ['recover by way of expired, held by a bot', byBot, recover],
    ['release', builtin, release],
    ['resetLock', builtin, act('resetLock')],
    [
      'pause',
      builtin,
      async (job) => {
        await act('pause')(job);
        await release(job);
      },
    ],
  ])('by %s does not touch the policy, and no second job is made', async (_, fields, way) => {
    const { policyId, job } = await running(fields);
    const due = await policies.makeDue(policyId);
    await way(job);
    expect(await policies.find(policyId)).toMatchObject({
      next_run_at: due,
      failure_count: 0,
      last_failed_at: null,
      live_job_id: job.id,
    });
    expect(await createDueJobs(policies.pool, scheduler)).toEqual([]);
  });
});

describe('a job that is retried by hand', () => {
  async function failed() {
    const { policyId, job } = await running(builtin);
    await fail(job);
    return { policyId, job };
  }

  test('is the live one of its policy: no other is made beside it', async () => {
    const { policyId, job } = await failed();
    await actOnJob(policies.pool, 'retry', job.id);
    await policies.makeDue(policyId);
    expect(await createDueJobs(policies.pool, scheduler)).toEqual([]);
    expect((await policies.find(policyId)).live_job_id).toBe(job.id);
  });

  test('keeps no other policy waiting', async () => {
    const { policyId, job } = await failed();
    await actOnJob(policies.pool, 'retry', job.id);
    await policies.makeDue(policyId, 100);
    const free = await policies.create();
    expect(await createDueJobs(policies.pool, scheduler, 1)).toMatchObject([{ policy_id: free.id }]);
  });

  test('sets the next run again at its end', async () => {
    const { policyId, job } = await failed();
    await actOnJob(policies.pool, 'retry', job.id);
    await complete(await policies.claimOne());
    expect(await policies.find(policyId)).toMatchObject({ failure_count: 0, live_job_id: null });
    expect(await policies.secondsToNextRun(policyId)).toBeCloseTo(6 * hours, -2);
  });

  test('is refused while a newer one is live, and the answer names it', async () => {
    const { policyId, job } = await failed();
    await policies.makeDue(policyId);
    const [newer] = await createDueJobs(policies.pool, scheduler);
    await expect(actOnJob(policies.pool, 'retry', job.id)).rejects.toMatchObject({
      code: 'live_job_exists',
      message: expect.stringContaining(newer?.job_id ?? 'no newer job'),
    });
  });
});

describe('jobs that are deleted by hand', () => {
  test.each([
    ['one by one', 'DELETE FROM crawl_jobs'],
    ['all at once', 'TRUNCATE crawl_jobs'],
  ])('%s do not hold up their policy', async (_, sql) => {
    const { policy } = await policies.scheduled();
    await policies.pool.query(sql);
    await policies.makeDue(policy.id);
    expect(await createDueJobs(policies.pool, scheduler)).toMatchObject([{ policy_id: policy.id }]);
    expect(await listJobs(policies.pool)).toHaveLength(1);
  });
});
