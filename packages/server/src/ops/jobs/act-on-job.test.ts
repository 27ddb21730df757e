import { describe, expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { renewLeases } from '../../queue/jobs/renew-leases.ts';
import { actOnJob } from './act-on-job.ts';

const queue = new QueueFixture();

describe('a user', () => {
  test('is told what can be done when an action is not possible', async () => {
    const { id } = await queue.enqueueOne();
    await expect(actOnJob(queue.pool, 'resume', id)).rejects.toMatchObject({
      code: 'action_not_allowed',
      hint: 'Allowed now: pause, cancel.',
    });
    await expect(actOnJob(queue.pool, 'pause', 'no-uuid')).rejects.toMatchObject({
      code: 'job_not_found',
    });
  });

  test('who asks again for a pause or a cancel has it already, and leaves no second trace', async () => {
    const { id } = await queue.enqueueOne();
    const eventCount = async () =>
      (await queue.pool.query('SELECT FROM job_events WHERE job_id = $1', [id])).rowCount;
    for (const [action, status] of [
      ['pause', 'paused'],
      ['cancel', 'cancelled'],
    ] as const) {
      const first = await actOnJob(queue.pool, action, id);
      const events = await eventCount();
      expect(await actOnJob(queue.pool, action, id)).toEqual(first);
      expect([first.status, await eventCount()]).toEqual([status, events]);
    }
    await expect(actOnJob(queue.pool, 'pause', id)).rejects.toMatchObject({ code: 'action_not_allowed' });
  });

  test('cannot retry a job while another live one has its dedupe key', async () => {
    const first = await queue.enqueueOne({ dedupe_key: 'site' });
    await actOnJob(queue.pool, 'cancel', first.id);
    const second = await queue.enqueueOne({ dedupe_key: 'site' });
    await expect(actOnJob(queue.pool, 'retry', first.id)).rejects.toMatchObject({
      code: 'live_job_exists',
      message: expect.stringContaining(second.id),
    });
  });

  test('takes a lease away with resetLock: the holder finds out, and no retry is burned', async () => {
    const job = await queue.claimedOne();
    await actOnJob(queue.pool, 'resetLock', job.id);
    expect((await renewLeases(queue.pool, [job])).get(job)).toBe('lost');
    expect(await showJob(queue.pool, job.id)).toMatchObject({
      status: 'pending',
      retry_count: 0,
      fence: 2,
    });
  });
});
