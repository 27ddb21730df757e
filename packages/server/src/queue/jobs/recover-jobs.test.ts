import { describe, expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { enqueueJob } from './enqueue-jobs.ts';
import { listEvents, showJob } from './find-jobs.ts';
import { botLane } from './lane.ts';
import { recoverJobs } from './recover-jobs.ts';

const queue = new QueueFixture();

describe('the watchdog', () => {
  test('gives a job four runs, then fails it with the message and its cause', async () => {
    const { id } = await queue.enqueueOne();
    for (let run = 1; run <= 4; run++) {
      await queue.claimOne();
      await queue.passSeconds(121);
      const [recovered] = await recoverJobs(queue.pool, 'watchdog:w2');
      expect(recovered).toMatchObject(
        run <= 3 ? { status: 'pending', retry_count: run } : { status: 'failed', retry_count: 3 },
      );
      expect(recovered?.prior_worker).toBe('w1');
    }
    expect((await showJob(queue.pool, id)).error_message).toBe('Job crashed and exceeded max retries');
    expect((await listEvents(queue.pool, id)).at(-1)).toMatchObject({
      transition: 'recover',
      reason: 'Worker timed out: w1 let its lease run out',
    });
  });

  test('passes a job held by a bot through expired, and leaves it there when its retries are spent', async () => {
    const request = {
      kind: 'visit',
      executor: 'bot',
      payload: { url: 'https://example.com/' },
      max_retries: 1,
    } as const;
    const { job } = await enqueueJob(queue.pool, request);
    for (const status of ['pending', 'expired']) {
      await queue.claimOne([botLane], 'bot-1');
      await queue.passSeconds(601);
      await recoverJobs(queue.pool, 'watchdog:w2');
      expect((await showJob(queue.pool, job.id)).status).toBe(status);
    }
    const moves = (await listEvents(queue.pool, job.id)).map((event) => [event.from_status, event.to_status]);
    expect(moves.slice(2)).toEqual([
      ['processing', 'expired'],
      ['expired', 'pending'],
      ['pending', 'processing'],
      ['processing', 'expired'],
    ]);
  });

  test('does what was requested of a job whose holder died, and burns no retry', async () => {
    const job = await queue.claimedOne({ max_retries: 0 });
    await actOnJob(queue.pool, 'pause', job.id);
    await actOnJob(queue.pool, 'cancel', job.id);
    await queue.passSeconds(121);
    await recoverJobs(queue.pool, 'watchdog:w2');
    expect(await showJob(queue.pool, job.id)).toMatchObject({ status: 'cancelled', retry_count: 0 });
  });
});
