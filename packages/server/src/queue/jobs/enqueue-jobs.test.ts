import { once } from 'node:events';
import type { JobRequest } from '@holdfast/contract';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { crawl, QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { actOnJob } from '../../ops/jobs/act-on-job.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { enqueueAndWake, enqueueJob, enqueueJobs } from './enqueue-jobs.ts';
import { listJobs, showJob } from './find-jobs.ts';
import { channels, Notifier } from './notifications.ts';

const queue = new QueueFixture();

describe('enqueue', () => {
  test('repeats of a request with an idempotency key answer with the first job', async () => {
    const first = await enqueueJob(queue.pool, crawl({ idempotency_key: 'once' }));
    const second = await enqueueJob(queue.pool, crawl({ idempotency_key: 'once' }));
    expect([first.outcome, second.outcome]).toEqual(['created', 'repeated']);
    expect(second.job.id).toBe(first.job.id);
  });

  test('a different request under a used idempotency key is refused and names the first job', async () => {
    const { job } = await enqueueJob(queue.pool, crawl({ idempotency_key: 'once' }));
    const other = crawl({ idempotency_key: 'once', payload: { url: 'https://example.com/other' } });
    await expect(enqueueJob(queue.pool, other)).rejects.toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringContaining(job.id),
    });
  });

  test('an idempotency key holds for its owner alone', async () => {
    const mine = await enqueueJob(queue.pool, crawl({ idempotency_key: 'once', user_id: 'me' }));
    const yours = await enqueueJob(queue.pool, crawl({ idempotency_key: 'once', user_id: 'you' }));
    expect(yours.job.id).not.toBe(mine.job.id);
  });

  test('a dedupe key has one live job at most, and is free again when that has finished', async () => {
    const first = await enqueueJob(queue.pool, crawl({ dedupe_key: 'site' }));
    const second = await enqueueJob(queue.pool, crawl({ dedupe_key: 'site' }));
    expect(second).toMatchObject({ outcome: 'deduplicated', job: { id: first.job.id } });
    await actOnJob(queue.pool, 'cancel', first.job.id);
    expect((await enqueueJob(queue.pool, crawl({ dedupe_key: 'site' }))).outcome).toBe('created');
  });

  test('a hundred requests at once with one dedupe key make one job', async () => {
    const all = await Promise.all(
      Array.from({ length: 100 }, () => enqueueJob(queue.pool, crawl({ dedupe_key: 'site' }))),
    );
    expect(all.filter(({ outcome }) => outcome === 'created')).toHaveLength(1);
    expect(new Set(all.map(({ job }) => job.id)).size).toBe(1);
  });

  test('a bulk answers for each request in its order, also for twins inside it', async () => {
    const requests = ['a', 'b', 'a', 'c'].map((key) => crawl({ dedupe_key: key }));
    const enqueued = await enqueueJobs(queue.pool, requests);
    expect(enqueued.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'deduplicated', 'created']);
    expect(enqueued[2]?.job.id).toBe(enqueued[0]?.job.id);
  });

  test('the jobs of a bulk are claimed in its order, whatever their keys', async () => {
    const keys = ['c', 'a', 'd', 'b'];
    await enqueueJobs(
      queue.pool,
      keys.map((key) => crawl({ idempotency_key: key })),
    );
    const claimed: ClaimedJob[] = [];
    for (const _ of keys) claimed.push(await queue.claimOne());
    const jobs = await Promise.all(claimed.map(({ id }) => showJob(queue.pool, id)));
    expect(jobs.map((job) => job.idempotency_key)).toEqual(keys);
  });

  test('bulks of one owner with keys take turns, so that no two wait for each other; nobody else waits', async () => {
    const bulk = (user_id: string, ...keys: string[]) =>
      keys.map((key) => crawl({ user_id, idempotency_key: key }));
    const first = await queue.pool.connect();
    await first.query('BEGIN');
    await enqueueJobs(first, bulk('me', 'a', 'b'));
    let isCommitted = false;
    const second = enqueueJobs(queue.pool, bulk('me', 'c', 'd')).then(() => isCommitted);
    await enqueueJobs(queue.pool, bulk('you', 'a', 'b'));
    await enqueueJobs(queue.pool, bulk('me', 'e'));
    await enqueueJobs(queue.pool, [crawl({ user_id: 'me' }), crawl({ user_id: 'me' })]);
    isCommitted = true;
    await first.query('COMMIT');
    first.release();
    expect(await second).toBe(true);
  });

  test('a bulk with one bad request writes nothing', async () => {
    const bad = crawl({ payload: { url: 'ftp://example.com' } });
    await expect(enqueueJobs(queue.pool, [crawl(), bad])).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/request 2: payload\.url must be .*http or https URL/),
    });
    expect(await listJobs(queue.pool)).toEqual([]);
  });

  test.each<[string, Partial<JobRequest>]>([
    ['a NUL in a key', { dedupe_key: 'a\0b' }],
    ['a NUL deep in the payload', { payload: { url: 'https://example.com', tags: [{ name: 'a\0' }] } }],
    ['half a surrogate pair', { payload: { url: 'https://example.com', title: '\ud800' } }],
    ['a priority out of range', { priority: 1001 }],
    ['a fraction as priority', { priority: 0.5 }],
    ['a time that is none', { run_at: 'tomorrow' }],
    ['no owner', { user_id: '' }],
    ['a field nobody knows', { colour: 'red' } as Partial<JobRequest>],
    ['a payload beyond the limit', { payload: { url: 'https://example.com', x: 'x'.repeat(1_000_001) } }],
  ])('refuses %s with a clear error', async (_, fields) => {
    await expect(queue.enqueueOne(fields)).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('keeps text that only looks like an escape', async () => {
    const payload = { url: 'https://example.com', title: '\\u0000 \\ud800 𝒳' };
    const { id } = await queue.enqueueOne({ payload });
    expect((await showJob(queue.pool, id)).payload).toEqual(payload);
  });
});

const request = { kind: 'visit' as const, payload: { url: 'https://example.com/' } };

describe('jobs that are enqueued to wake workers', () => {
  let database: TestDatabase;
  let listener: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    listener = new pg.Client(database.url);
    await listener.connect();
    await listener.query(`LISTEN ${channels.work}`);
  });
  beforeEach(() => database.pool.query('TRUNCATE crawl_jobs, job_events'));
  afterAll(async () => {
    await listener.end();
    await database.drop();
  });

  /** With a notifier of its own, which has not been told to be quiet. */
  const enqueue = (requests = [{ ...request }] as Parameters<typeof enqueueAndWake>[1]) =>
    enqueueAndWake({ pool: database.pool, notifier: new Notifier(database.pool) }, requests);

  test('are there for whoever hears of them', async () => {
    const found = once(listener, 'notification').then(() =>
      listener.query("SELECT count(*)::int AS count FROM crawl_jobs WHERE status = 'pending'"),
    );
    await enqueue();
    expect((await found).rows).toEqual([{ count: 1 }]);
  });

  test('are announced only when they are committed', async () => {
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE job_events IN EXCLUSIVE MODE');
    const before = await count();
    const heard = once(listener, 'notification').then(() => count());
    const enqueued = enqueue();
    const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND NOT granted`;
    await expect.poll(() => database.pool.query(waiting)).toHaveProperty('rowCount', 1);
    await blocker.query('COMMIT');
    blocker.release();
    await enqueued;
    expect(await heard).toBe(before + 1);
  });

  test('are refused as ever when a request cannot be read', async () => {
    const before = await count();
    await expect(enqueue([{ kind: 'visit', payload: { url: 'ftp://x' } }])).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect(await count()).toBe(before);
  });

  test('that stand already are answered, and leave no connection taken', async () => {
    const keyed = [{ ...request, idempotency_key: 'once' }];
    const [first] = await enqueue(keyed);
    const [second] = await enqueue(keyed);
    expect(second).toMatchObject({ outcome: 'repeated', job: { id: first?.job.id } });
    await expect.poll(() => database.pool.idleCount).toBe(database.pool.totalCount);
  });

  async function count(): Promise<number> {
    const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM crawl_jobs');
    return rows[0].count;
  }
});
