import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { enqueueAndWake } from './enqueue-and-wake.ts';
import { channels, Notifier } from './notifier.ts';

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
