import { setTimeout as delay } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Queryable, Statement } from '../../base/database/statement.ts';
import { EventFeed } from './event-feed.ts';
import {
  beforeTransaction,
  formatPosition,
  type PlacedEvent,
  parsePosition,
  readHorizon,
  readStreamStatement,
  type StreamPosition,
} from './event-stream.ts';

// A transaction open in any database of the server holds the stream back.
vi.setConfig({ testTimeout: 240_000 });

const queue = new QueueFixture();
const log = pino({ level: 'silent' });

/** The database, with a count of what is asked of it, and a switch that takes it away. */
function counted() {
  const asked = { count: 0, isAway: false };
  const query = (config: QueryConfig) => {
    asked.count++;
    return asked.isAway ? Promise.reject(new Error('the database is away')) : queue.pool.query(config);
  };
  return { asked, db: { query } as Queryable };
}

function follow(feed: EventFeed, after?: StreamPosition) {
  const leaving = new AbortController();
  const events: PlacedEvent[] = [];
  const state = { isReady: false };
  const done = (async () => {
    for await (const fed of feed.follow(after, {}, leaving.signal)) {
      state.isReady = true;
      events.push(...fed.events);
    }
  })();
  return {
    events,
    ready: () => vi.waitUntil(() => state.isReady, { interval: 5, timeout: 90_000 }),
    hears: (jobId: string) =>
      vi.waitUntil(() => events.some(({ job_id }) => job_id === jobId), { interval: 5, timeout: 90_000 }),
    leave: async () => {
      leaving.abort();
      await done;
    },
  };
}

describe('the feed of events', () => {
  test('reads once for all who follow, and not at all when nobody does', async () => {
    const { asked, db } = counted();
    const feed = new EventFeed({ db, log, pollMs: 100 });
    const followers = Array.from({ length: 50 }, () => follow(feed));
    for (const follower of followers) await follower.ready();
    const before = asked.count;
    const started = performance.now();
    const job = await queue.enqueueOne();
    for (const follower of followers) await follower.hears(job.id);
    await delay(1_000);
    const turns = (performance.now() - started) / 100;
    expect(asked.count - before).toBeLessThanOrEqual(turns + 2);
    for (const follower of followers) await follower.leave();
    await delay(200);
    const after = asked.count;
    await delay(500);
    expect(asked.count).toBe(after);
  });

  test('goes on by itself when the database was away', async () => {
    const { asked, db } = counted();
    const feed = new EventFeed({ db, log, pollMs: 50 });
    const follower = follow(feed);
    await follower.ready();
    asked.isAway = true;
    const missed = await queue.enqueueOne();
    const before = asked.count;
    await vi.waitUntil(() => asked.count > before + 2, { timeout: 90_000 });
    expect(follower.events).toEqual([]);
    asked.isAway = false;
    await follower.hears(missed.id);
    expect(follower.events).toHaveLength(1);
    await follower.leave();
  });

  test('keeps only the newest events; who stands further back reads for himself, and catches up', async () => {
    const start = await readHorizon(queue.pool);
    const feed = new EventFeed({ db: queue.pool, log, pollMs: 50 });
    const present = follow(feed);
    await present.ready();
    // In transactions of their own, and 3,000 in one.
    for (let n = 0; n < 20; n++) await queue.enqueueOne();
    await queue.pool.query(
      `WITH job AS (INSERT INTO crawl_jobs (event_count, payload) SELECT 1, '{}' FROM generate_series(1, 6500) RETURNING id)
       INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor)
       SELECT id, 1, 'enqueue', 'pending', 0, 'user:test' FROM job`,
    );
    const last = await queue.enqueueOne();
    await present.hears(last.id);
    const late = follow(feed, start);
    await late.hears(last.id);
    const { rows } = await queue.pool.query<{ job_id: string }>(
      'SELECT job_id FROM job_events ORDER BY tx, job_id, event_no',
    );
    const all = rows.map(({ job_id }) => job_id);
    expect(all).toHaveLength(6521);
    expect(present.events.map(({ job_id }) => job_id)).toEqual(all);
    expect(late.events.map(({ job_id }) => job_id)).toEqual(all);
    await present.leave();
    await late.leave();
  });
});

test('the stream is read along its index, whatever the statistics say, with a table full of events', async () => {
  const client = await queue.pool.connect();
  const values = [1, '00000000-0000-0000-0000-000000000000', 0, 5000, 1000, null, null, null, null];
  const paths = (table: string) =>
    accessPaths(client, readStreamStatement as Statement<never>, values, { table, generic: true });
  for (const table of ['crawl_jobs', 'job_events']) await client.query(`ANALYZE ${table}`);
  await client.query(
    `WITH job AS (INSERT INTO crawl_jobs (event_count, payload) SELECT 1, '{}' FROM generate_series(1, 100000) RETURNING id)
     INSERT INTO job_events (job_id, event_no, transition, to_status, fence, actor)
     SELECT id, 1, 'enqueue', 'pending', 0, 'user:test' FROM job`,
  );
  expect(await paths('crawl_jobs')).toEqual(['crawl_jobs_pkey']);
  for (const table of ['crawl_jobs', 'job_events']) await client.query(`ANALYZE ${table}`);
  expect(await paths('job_events')).toEqual(['job_events_stream']);
  expect(await paths('crawl_jobs')).toEqual(['crawl_jobs_pkey']);
  client.release(true);
});

test('a position survives being written down', () => {
  const position = { tx: 4_294_967_299, job_id: '0190a8b0-1111-7222-8333-444455556666', event_no: 12 };
  expect(parsePosition(formatPosition(position))).toEqual(position);
  expect(parsePosition(formatPosition(beforeTransaction(7)))).toEqual(beforeTransaction(7));
  for (const text of ['', '1', '1.2.3', '-1.0190a8b0-1111-7222-8333-444455556666.1', '1.x.1', 'NaN.x.NaN'])
    expect(parsePosition(text)).toBeUndefined();
});
