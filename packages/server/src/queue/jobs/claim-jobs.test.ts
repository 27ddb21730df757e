import type { JobRequest } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import {
  actor,
  collectLane,
  crawl,
  crawlLane,
  QueueFixture,
  transient,
} from '../../../../../test/queue-fixture/queue-fixture.ts';
import { claimJobs } from './claim-jobs.ts';
import { claimOneJob } from './claim-one-job.ts';
import { enqueueJob, enqueueJobs } from './enqueue-jobs.ts';
import { listEvents, showJob } from './find-jobs.ts';
import { botLane, type Lane } from './lane.ts';
import { releaseJobs } from './release-jobs.ts';
import { retryJobsLater } from './retry-jobs-later.ts';

const queue = new QueueFixture();

describe('claim', () => {
  test('takes the highest priority first, then the oldest, from all its lanes', async () => {
    const urls = [
      ['crawl', 0],
      ['crawl', 5],
      ['collect', 5],
      ['crawl', -3],
      ['collect', 9],
    ] as const;
    for (const [kind, priority] of urls) {
      const payload = kind === 'crawl' ? { url: 'https://example.com/' } : { query: {} };
      await enqueueJob(queue.pool, { kind, payload, priority } as JobRequest);
    }
    const claimed = await claimJobs(queue.pool, {
      lanes: [crawlLane, collectLane],
      limit: 4,
      workerId: 'w1',
    });
    expect(claimed.map(({ kind, priority }) => [kind, priority])).toEqual([
      ['collect', 9],
      ['crawl', 5],
      ['collect', 5],
      ['crawl', 0],
    ]);
  });

  test.each([
    ['ready', {}],
    ['due', { notBeforeSeconds: 1 }],
  ])(
    'leaves a job that is %s and was handed back for its private origins to who may fetch them all',
    async (_, wait) => {
      const [one, two] = ['http://10.0.0.1', 'http://10.0.0.2:8080'];
      const claim = (...allowPrivate: string[]) =>
        claimJobs(queue.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1', allowPrivate });
      const { id } = await queue.enqueueOne({ priority: 9 });
      for (const origin of [one, two]) {
        const [held] = await claim('http://10.0.0.1');
        const release = { ...wait, reason: `it may not fetch ${origin}`, waitsFor: [origin] };
        await releaseJobs(queue.pool, held ? [{ ...held, ...release }] : [], actor);
        await queue.passSeconds(2);
      }
      expect((await showJob(queue.pool, id)).waits_for?.toSorted()).toEqual([one, two]);
      const other = await queue.enqueueOne();
      expect(await claim(one)).toMatchObject([{ id: other.id }]);
      expect(await claim(one)).toEqual([]);
      const alone = { lanes: [crawlLane], workerId: 'w1' };
      expect(await claimOneJob(queue.pool, id, { ...alone, allowPrivate: [two] })).toEqual([]);
      expect(await claim(two, 'http://10.0.0.3', one)).toMatchObject([{ id }]);
    },
  );

  test('leaves a scheduled job until its time, then takes it by priority', async () => {
    const later = await queue.enqueueOne({
      run_at: new Date(Date.now() + 60_000).toISOString(),
      priority: 5,
    });
    const now = await queue.enqueueOne();
    expect(await queue.claimOne()).toMatchObject({ id: now.id });
    await expect(queue.claimOne()).rejects.toThrow('nothing to claim');
    await queue.passSeconds(61);
    await queue.enqueueOne();
    expect(await queue.claimOne()).toMatchObject({ id: later.id });
  });

  test('takes a due retryable job of each priority, and none before it is due', async () => {
    for (const priority of [1, 2, 3]) await queue.enqueueOne({ priority });
    const claimed = await claimJobs(queue.pool, { lanes: [crawlLane], limit: 3, workerId: 'w1' });
    await retryJobsLater(
      queue.pool,
      claimed.map((job) => ({ ...job, error: transient })),
      actor,
    );
    await queue.passSeconds(299);
    expect(await claimJobs(queue.pool, { lanes: [crawlLane], limit: 3, workerId: 'w1' })).toEqual([]);
    await queue.passSeconds(32);
    const again = await claimJobs(queue.pool, { lanes: [crawlLane], limit: 3, workerId: 'w1' });
    expect(again.map(({ priority, retry_count, fence }) => [priority, retry_count, fence])).toEqual([
      [3, 1, 2],
      [2, 1, 2],
      [1, 1, 2],
    ]);
  });

  test('never takes more than its limit, however many claim at once, and none twice', async () => {
    await enqueueJobs(
      queue.pool,
      Array.from({ length: 200 }, () => crawl()),
    );
    const batches = await Promise.all(
      Array.from({ length: 20 }, (_, worker) =>
        claimJobs(queue.pool, { lanes: [crawlLane], limit: 10, workerId: `w${worker}` }),
      ),
    );
    const ids = batches.flat().map(({ id }) => id);
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(10);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('leases by holder: a collect job longer, a bot by lock_ttl_seconds, timeout_seconds, then 600', async () => {
    const visit = { kind: 'visit', executor: 'bot', payload: { url: 'https://example.com/' } } as const;
    await enqueueJobs(queue.pool, [
      { ...visit, priority: 3, lock_ttl_seconds: 30, timeout_seconds: 90 },
      { ...visit, priority: 2, timeout_seconds: 90 },
      { ...visit, priority: 1 },
    ]);
    const claimed = await claimJobs(queue.pool, { lanes: [botLane], limit: 3, workerId: 'bot-1' });
    expect(claimed.map(({ lease_seconds }) => lease_seconds)).toEqual([30, 90, 600]);
    expect((await listEvents(queue.pool, claimed[0]?.id ?? '')).at(-1)?.actor).toBe('bot:bot-1');
  });

  test.each([
    ['with those that waited', (lanes: Lane[]) => claimJobs(queue.pool, { lanes, limit: 2, workerId: 'w1' })],
    [
      'of ready ones alone',
      (lanes: Lane[]) => claimJobs(queue.pool, { lanes, limit: 2, workerId: 'w1', due: false }),
    ],
    [
      'one by one',
      async (lanes: Lane[], ids: string[]) =>
        (await Promise.all(ids.map((id) => claimOneJob(queue.pool, id, { lanes, workerId: 'w1' })))).flat(),
    ],
  ])('tells all that a job says of itself, whatever is in it: %s', async (_, claim) => {
    const payload = {
      url: 'https://example.com/',
      tags: ['],["', '\\"\n\t', '{}', 'ü😀', ''],
      depth: [[1], []],
    };
    const bounded = await queue.enqueueOne({
      priority: 7,
      max_retries: 1,
      timeout_seconds: 90,
      payload,
    } as Partial<JobRequest>);
    const plain = await queue.enqueueOne();
    const claimed = await claim([crawlLane], [bounded.id, plain.id]);
    const common = {
      kind: 'crawl',
      fence: 1,
      retry_count: 0,
      lease_seconds: crawlLane.leaseSeconds,
      waited: false,
      created_us: expect.any(Number),
    };
    expect(claimed).toEqual([
      { ...common, id: bounded.id, priority: 7, max_retries: 1, timeout_seconds: 90, payload },
      { ...common, id: plain.id, priority: 0, max_retries: 3, timeout_seconds: null, payload: plain.payload },
    ]);
  });
});
