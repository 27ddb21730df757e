import { once } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { Pipeline } from './pipeline.ts';

const whoAnswers = { text: 'SELECT pg_backend_pid() AS pid, pg_current_xact_id()::text AS transaction' };

describe('a pipeline', () => {
  let database: TestDatabase;
  let pipeline: Pipeline;
  beforeAll(async () => {
    database = await createTestDatabase();
    pipeline = new Pipeline(database.pool);
  });
  afterAll(async () => {
    await database.drop();
  });

  async function ask() {
    const { rows } = await pipeline.query<{ pid: number; transaction: string }>(whoAnswers);
    if (!rows[0]) throw new Error('no answer');
    return rows[0];
  }

  test('sends statements on one connection, each as a transaction of its own, in their order', async () => {
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
    const transactions = answers.map(({ transaction }) => Number(transaction));
    expect(new Set(transactions).size).toBe(3);
    expect(transactions).toEqual(transactions.toSorted((a, b) => a - b));
  });

  test('sends a statement before the one in front of it is answered', async () => {
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; SELECT pg_advisory_xact_lock(1)');
    const taken = once(database.pool, 'acquire') as Promise<[pg.PoolClient]>;
    const first = pipeline.query({ text: 'SELECT pg_advisory_xact_lock(1)' });
    const [client] = await taken;
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
    await expect.poll(() => database.pool.query(waiting)).toHaveProperty('rowCount', 1);
    const before = stream.bytesWritten;
    const second = ask();
    await expect.poll(() => stream.bytesWritten).toBeGreaterThan(before);
    await blocker.query('COMMIT');
    blocker.release();
    await first;
    await second;
  });

  test('holds no connection while nothing is under way', async () => {
    await Promise.all([ask(), ask()]);
    await expect.poll(() => database.pool.idleCount).toBe(database.pool.totalCount);
  });

  test('does what stands behind a statement that fails, and leaves that connection', async () => {
    const failing = pipeline.query({ text: 'SELECT 1 / 0' });
    const behind = ask();
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const { pid } = await behind;
    expect((await ask()).pid).not.toBe(pid);
  });

  test('goes on with another connection when its own is cut', async () => {
    const { pid } = await ask();
    const cut = pipeline.query({ text: 'SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)' });
    const behind = ask();
    await expect(cut).rejects.toThrow();
    await expect(behind).rejects.toThrow();
    expect((await ask()).pid).not.toBe(pid);
  });
});
