import { describe, expect, test } from 'vitest';
import { BotFixture, codeOf, failed, leaseOf } from '../../../../../test/bot-fixture/bot-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { recoverJobs } from '../../queue/jobs/recover-jobs.ts';
import { foreignToken } from './bot-leases.ts';
import { extendLease } from './extend-lease.ts';

const bots = new BotFixture();
const sweep = () => recoverJobs(bots.pool, 'watchdog:w1');

describe('a heartbeat', () => {
  const left = async (id: string) => {
    const { rows } = await bots.pool.query(
      'SELECT extract(epoch FROM lease_expires_at - now()) AS left FROM crawl_jobs WHERE id = $1',
      [id],
    );
    return Math.round(Number(rows[0].left));
  };

  test('begins the lock anew, up to the time limit of the run', async () => {
    const job = await bots.held({ lock_ttl_seconds: 60, timeout_seconds: 100 });
    await bots.passSeconds(30);
    const { lease_expires_at, action } = await extendLease(bots.pool, leaseOf(job));
    expect(action).toBe('continue');
    expect((await showJob(bots.pool, job.id)).lease_expires_at).toEqual(lease_expires_at);
    expect(await left(job.id)).toBe(60);
    await bots.passSeconds(30);
    await extendLease(bots.pool, leaseOf(job, { token: job.fence }));
    expect(await left(job.id)).toBe(40);
    await bots.passSeconds(40);
    expect(await codeOf(extendLease(bots.pool, leaseOf(job)))).toBe('lock_expired');
  });

  test('never shortens a lock', async () => {
    const job = await bots.held({ lock_ttl_seconds: 60, timeout_seconds: 10 });
    await extendLease(bots.pool, leaseOf(job));
    expect(await left(job.id)).toBe(60);
  });

  test.each([
    ['pause', 'paused'],
    ['cancel', 'cancelled'],
  ] as const)(
    'says that a %s was requested and gives no more time; the sweep then ends it there',
    async (action, status) => {
      const job = await bots.held();
      await actOnJob(bots.pool, action, job.id);
      await bots.passSeconds(300);
      expect(await extendLease(bots.pool, leaseOf(job))).toMatchObject({ action });
      expect(await left(job.id)).toBe(300);
      await bots.passSeconds(301);
      expect(await sweep()).toMatchObject([{ status, retry_count: 0 }]);
    },
  );

  test('is refused as a submit is', async () => {
    const job = await bots.held();
    const beat = (lease: Parameters<typeof leaseOf>[1], id = job.id) =>
      codeOf(extendLease(bots.pool, leaseOf({ id }, lease)));
    expect(await beat({ botId: 'other' })).toBe('not_assigned');
    expect(await beat({ userId: 'bob' })).toBe('job_not_found');
    await bots.submit(job);
    expect(await beat({})).toBe('job_not_locked');
    expect(await beat({ token: job.fence })).toBe('job_not_locked');
    expect(await beat({ token: foreignToken })).toBe('not_assigned');
    await bots.pool.query('UPDATE bots SET enabled = false');
    expect(await beat({ token: job.fence })).toBe('bot_not_allowed');
  });

  test('with the token of a lock that is over says whether somebody holds the job since, and extends nothing', async () => {
    const job = await bots.held();
    const beat = () => codeOf(extendLease(bots.pool, leaseOf(job, { token: job.fence })));
    await bots.submit(job, { token: job.fence }, failed);
    expect(await beat()).toBe('job_not_locked');
    await bots.pull({ botId: 'other' });
    expect(await beat()).toBe('lock_expired');
    await bots.passSeconds(601);
    await sweep();
    expect(await beat()).toBe('job_not_locked');
    await bots.pull({ botId: 'other' });
    await bots.passSeconds(30);
    const before = await left(job.id);
    expect(await beat()).toBe('lock_expired');
    expect(await left(job.id)).toBeLessThanOrEqual(before);
  });

  test('after a submit does not keep the submit from being repeated', async () => {
    const job = await bots.held();
    const first = await bots.submit(job, { token: job.fence });
    expect(await codeOf(extendLease(bots.pool, leaseOf(job, { token: job.fence })))).toBe('job_not_locked');
    expect(await bots.submit(job, { token: job.fence })).toEqual(first);
  });
});
