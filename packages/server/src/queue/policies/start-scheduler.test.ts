import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createPool } from '../../base/database/create-pool.ts';
import { Listener, Notifier } from '../jobs/notifications.ts';
import { startScheduler } from './start-scheduler.ts';
import { PolicyFixture } from './testing/policy-fixture.ts';

const policies = new PolicyFixture();
const log = pino({ level: 'silent' });
const never = 86_400;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A scheduler with connections of its own, whose regular turn does not come unless it is told to. */
async function start(everySeconds = never) {
  const pool = createPool({ connectionString: policies.url }, log, { name: 'doomed', max: 1 });
  const listener = new Listener({ url: policies.url }, log);
  await listener.start();
  const onJobs = vi.fn(async () => {});
  const task = startScheduler({ db: pool, log, workerId: 'w1', everySeconds, listener, onJobs });
  cleanups.push(
    () => pool.end(),
    () => listener.stop(),
    () => task.stop(),
  );
  return { onJobs };
}

const hasJob = (id: string) =>
  vi.waitUntil(async () => (await policies.find(id)).live_job_id, { timeout: 15_000, interval: 10 });

describe('a scheduler', () => {
  test('makes at its start what fell due while there was none, and tells of it once it is committed', async () => {
    const { id } = await policies.create();
    const { onJobs } = await start();
    await vi.waitUntil(() => onJobs.mock.calls.length > 0, { timeout: 15_000, interval: 10 });
    expect((await policies.find(id)).live_job_id).not.toBeNull();
  });

  test('comes at once when it hears of a policy', async () => {
    await start();
    const { id } = await policies.create();
    await new Notifier(policies.pool).notify('policy');
    await hasJob(id);
  });

  test('comes by itself where nobody tells it', async () => {
    await start(0.05);
    await hasJob((await policies.create()).id);
  });

  test('makes more than fit into one statement', async () => {
    await policies.pool.query(
      `INSERT INTO crawl_policies (kind, url) SELECT 'crawl', 'https://example.com/' || n FROM generate_series(1, 1100) n`,
    );
    const { onJobs } = await start();
    await vi.waitUntil(() => onJobs.mock.calls.length > 0, { timeout: 15_000, interval: 10 });
    const { rows } = await policies.pool.query('SELECT count(*) AS count FROM crawl_jobs');
    expect(rows).toEqual([{ count: 1100 }]);
  });

  test('goes on when the database has thrown it out, and looks for what it missed meanwhile', async () => {
    const first = await policies.create();
    await start();
    await hasJob(first.id);
    const { id } = await policies.create();
    const { rows } = await policies.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name IN ('holdfast doomed', 'holdfast listener')`,
    );
    expect(rows).toHaveLength(2);
    await hasJob(id);
  });
});
