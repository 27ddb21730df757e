import { HoldfastError } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import {
  actor,
  crawl,
  crawlLane,
  QueueFixture,
  transient,
} from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import { claimJobs } from './claim-jobs.ts';
import { completeJobs } from './complete-jobs.ts';
import { crashJobs } from './crash-jobs.ts';
import { enqueueJobs } from './enqueue-jobs.ts';
import { failJobs } from './fail-jobs.ts';
import { listEvents, showJob } from './find-jobs.ts';
import { recoverJobs } from './recover-jobs.ts';
import { releaseJobs } from './release-jobs.ts';
import { renewLeases } from './renew-leases.ts';
import { retryJobsLater } from './retry-jobs-later.ts';

const queue = new QueueFixture();

describe('a holder', () => {
  test('whose completion was confirmed to nobody may send it again', async () => {
    const job = await queue.claimedOne();
    expect((await completeJobs(queue.pool, [job], actor)).get(job)).toBe('completed');
    expect((await completeJobs(queue.pool, [job], actor)).get(job)).toBe('completed');
    expect((await listEvents(queue.pool, job.id)).map((event) => event.transition)).toEqual([
      'enqueue',
      'claim',
      'complete',
    ]);
  });

  test('that lost its job to another cannot complete, renew, fail or release it', async () => {
    const lost = await queue.claimedOne();
    await queue.passSeconds(121);
    await recoverJobs(queue.pool, 'watchdog:w2');
    const held = await queue.claimOne([crawlLane], 'w2');
    expect(held.id).toBe(lost.id);
    const before = [await showJob(queue.pool, lost.id), await listEvents(queue.pool, lost.id)];
    const failed = [{ ...lost, error: transient }];
    expect((await completeJobs(queue.pool, [lost], actor)).get(lost)).toBe('lost');
    expect((await renewLeases(queue.pool, [lost])).get(lost)).toBe('lost');
    expect((await failJobs(queue.pool, failed, actor)).get(lost)).toBe('lost');
    expect((await retryJobsLater(queue.pool, failed, actor)).get(lost)).toBe('lost');
    expect((await crashJobs(queue.pool, failed, actor)).get(lost)).toBe('lost');
    expect((await releaseJobs(queue.pool, [{ ...lost, reason: 'drain' }], actor)).get(lost)).toBe('lost');
    expect([await showJob(queue.pool, lost.id), await listEvents(queue.pool, lost.id)]).toEqual(before);
  });

  test('that lost a job and claimed it again completes it by its newer lease, in whatever order it names both', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
    ]) {
      const old = await queue.claimedOne();
      await queue.passSeconds(121);
      await recoverJobs(queue.pool, 'watchdog:w1');
      const held = await queue.claimOne();
      const other = await queue.claimedOne();
      expect(held.id).toBe(old.id);
      const leases = order.map((at) => ({ ...([old, held, other][at] ?? held), actor: `bot:${at}` }));
      const outcomes = await completeJobs(queue.pool, leases, actor);
      expect([old, held, other].map((lease) => outcomes.get(lease))).toEqual([
        'lost',
        'completed',
        'completed',
      ]);
      const ends = await Promise.all(
        [held, other].map(async ({ id }) => (await listEvents(queue.pool, id)).at(-1)),
      );
      expect(ends).toMatchObject([
        { transition: 'complete', actor: 'bot:1' },
        { transition: 'complete', actor: 'bot:2' },
      ]);
    }
  });

  test('is not kept from its other leases by one row that is locked', async () => {
    await enqueueJobs(queue.pool, [crawl(), crawl()]);
    const [stuck, free] = await claimJobs(queue.pool, { lanes: [crawlLane], limit: 2, workerId: 'w1' });
    if (!stuck || !free) throw new Error('two jobs were expected');
    const frozen = await queue.pool.connect();
    await frozen.query('BEGIN');
    await frozen.query('SELECT FROM crawl_jobs WHERE id = $1 FOR UPDATE', [stuck.id]);
    const renewals = await renewLeases(queue.pool, [stuck, free]);
    await frozen.query('ROLLBACK');
    frozen.release();
    expect([stuck, free].map((job) => renewals.get(job))).toEqual(['busy', 'continue']);
  });

  test('hears of a pause at its renewal, and lets go with its progress kept', async () => {
    const job = await queue.claimedOne();
    expect((await actOnJob(queue.pool, 'pause', job.id)).status).toBe('processing');
    expect((await renewLeases(queue.pool, [{ ...job, progress: 40 }])).get(job)).toBe('pause');
    await releaseJobs(queue.pool, [{ ...job, reason: 'paused at a checkpoint' }], actor);
    expect(await showJob(queue.pool, job.id)).toMatchObject({
      status: 'paused',
      progress_percentage: 40,
      retry_count: 0,
      requested_action: null,
    });
    expect((await listEvents(queue.pool, job.id)).map((event) => event.transition)).toEqual([
      'enqueue',
      'claim',
      'pause',
      'pause',
    ]);
  });

  test('reports progress that never goes back and is 100 only when completed', async () => {
    const job = await queue.claimedOne();
    for (const progress of [30, 10, 250]) await renewLeases(queue.pool, [{ ...job, progress }]);
    expect((await showJob(queue.pool, job.id)).progress_percentage).toBe(99);
    await completeJobs(queue.pool, [job], actor);
    expect((await showJob(queue.pool, job.id)).progress_percentage).toBe(100);
  });

  test('stores an error message of any length and characters', async () => {
    const job = await queue.claimedOne();
    const error = new HoldfastError('run_failed', `\0\ud800${'𝒳'.repeat(2000)}`);
    await failJobs(queue.pool, [{ ...job, error }], actor);
    expect((await showJob(queue.pool, job.id)).error_message).toMatch(/^The run failed: ��𝒳/u);
  });
});

describe('backoff', () => {
  test('doubles from five minutes, with at most a tenth more, and never exceeds a day', async () => {
    const { id } = await queue.enqueueOne({ max_retries: 12 });
    for (let retry = 0; retry < 12; retry++) {
      const job = await queue.claimOne();
      await retryJobsLater(queue.pool, [{ ...job, error: transient }], actor);
      const { rows } = await queue.pool.query<{ seconds: number }>(
        `SELECT extract(epoch FROM next_retry_at - event.at)::float8 AS seconds
         FROM crawl_jobs job JOIN job_events event ON event.job_id = job.id AND event.event_no = job.event_count`,
      );
      const least = Math.min(300 * 2 ** retry, 86_400);
      expect(rows[0]?.seconds).toBeGreaterThanOrEqual(least);
      expect(rows[0]?.seconds).toBeLessThanOrEqual(Math.min(least * 1.1, 86_400));
      await queue.passSeconds(100_000);
    }
    await retryJobsLater(queue.pool, [{ ...(await queue.claimOne()), error: transient }], actor);
    expect(await showJob(queue.pool, id)).toMatchObject({ status: 'failed', retry_count: 12 });
  });

  test('never exceeds a day, whatever the other side asked for', async () => {
    const job = await queue.claimedOne();
    await retryJobsLater(queue.pool, [{ ...job, error: transient, retryAfterSeconds: 1_000_000 }], actor);
    const { rows } = await queue.pool.query<{ ok: boolean }>(
      `SELECT next_retry_at <= now() + interval '24 hours' AS ok FROM crawl_jobs`,
    );
    expect(rows).toEqual([{ ok: true }]);
  });

  test('waits at least as long as the other side asked for', async () => {
    const job = await queue.claimedOne();
    await retryJobsLater(queue.pool, [{ ...job, error: transient, retryAfterSeconds: 7200 }], actor);
    await queue.passSeconds(7190);
    await expect(queue.claimOne()).rejects.toThrow('nothing to claim');
    await queue.passSeconds(11);
    expect((await queue.claimOne()).id).toBe(job.id);
  });
});
