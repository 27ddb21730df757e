import { readConfiguration } from '@holdfast/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../packages/server/src/base/database/open-database.ts';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { checkWorkers } from '../../packages/server/src/ops/doctor/queue-checks.ts';
import { registerWorker } from '../../packages/server/src/worker/supervisor/register-worker.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { runHoldfast } from './run-holdfast.ts';

const program = await browserForTests();
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** Enters a worker of this process, as one that claims so many jobs. */
const register = (id: string, maxJobs: number) =>
  registerWorker(
    database.pool,
    { id, maxJobs, maxCrawls: maxJobs, kinds: ['crawl'], allowPrivate: [], heartbeatSeconds: 10 },
    async () => {},
  );

/** A browser takes a second to start; only a test of it needs to. */
const noBrowser = { HOLDFAST_BROWSER: '/nonexistent/chromium' };

type Finding = { check: string; state: string; found: string; advice?: string };

async function findings(env: Record<string, string> = {}): Promise<Map<string, Finding>> {
  const { stdout } = await runHoldfast(['doctor', '--json'], {
    DATABASE_URL: database.url,
    ...noBrowser,
    ...env,
  });
  return new Map((JSON.parse(stdout) as Finding[]).map((finding) => [finding.check, finding]));
}

describe('holdfast doctor', () => {
  test('examines database, schema, clock, durability, connections, locks, leases, workers, webhooks, bloat and browser', async () => {
    const { stdout } = await runHoldfast(['doctor'], { DATABASE_URL: database.url, ...noBrowser });
    const checks = stdout.matchAll(/^(?:ok {2}|warn|FAIL) {2}(\w+)/gm);
    expect([...checks].map(([, check]) => check)).toEqual([
      'database',
      'schema',
      'clock',
      'durability',
      'connections',
      'locks',
      'leases',
      'workers',
      'webhooks',
      'proxies',
      'bloat',
      'browser',
    ]);
  });

  test('says which browser renders pages, or why none does and how to get one', async () => {
    const broken = await findings();
    expect(broken.get('browser')).toEqual({
      check: 'browser',
      state: 'warning',
      found:
        'there is no browser; pages that need JavaScript are stored as the server sent them (render: auto means never)',
      advice: 'HOLDFAST_BROWSER is /nonexistent/chromium, which cannot be run. Correct the path.',
    });
    const failing = await findings({ HOLDFAST_BROWSER: '/bin/false' });
    expect(failing.get('browser')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/^\/bin\/false does not start: .*render: auto means never/s),
      advice: expect.stringContaining('docs/guides/render-pages.md'),
    });
  });

  test.skipIf(!program)('starts the browser that workers would start', async () => {
    expect((await findings({ HOLDFAST_BROWSER: program ?? '' })).get('browser')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/^Chromium \d+\.\S+ starts with its sandbox/),
    });
  });

  test('finds leases that nobody recovers, and says what to start', async () => {
    await database.pool.query(
      `INSERT INTO crawl_jobs (kind, payload, status, worker_id, lease_expires_at)
       VALUES ('crawl', '{}', 'processing', 'w1', now() - interval '10 minutes')`,
    );
    expect((await findings()).get('leases')).toMatchObject({
      state: 'problem',
      found: '1 of 1 expired and were not recovered',
      advice: expect.stringContaining('holdfast up'),
    });
  });

  test('finds jobs that wait while no worker is alive, and says what to start', async () => {
    const examined = () => checkWorkers({ pool: database.pool } as Database, readConfiguration({}));
    // Neither of them waits for a worker: one is for a bot, one for its time.
    await database.pool.query(
      `INSERT INTO crawl_jobs (kind, payload, executor, run_at)
       VALUES ('visit', '{}', 'bot', NULL), ('crawl', '{}', 'builtin', now() + interval '1 day')`,
    );
    expect(await examined()).toMatchObject({
      state: 'ok',
      found: 'none is alive, and no job is due; 1 job is scheduled for later',
    });
    await database.pool.query(`INSERT INTO crawl_jobs (kind, payload) VALUES ('crawl', '{}')`);
    expect((await findings()).get('workers')).toEqual({
      check: 'workers',
      state: 'warning',
      found: '1 job is pending, and no worker is alive',
      advice: 'Start one: `holdfast worker`, or `holdfast up`.',
    });
    await register('idle', 0);
    expect(await examined()).toMatchObject({ state: 'warning' });
    await register('w1', 4);
    expect(await examined()).toMatchObject({ state: 'ok' });
    await database.pool.query(`UPDATE workers SET trouble = 'the disk is full' WHERE id = 'w1'`);
    expect(await examined()).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/^1 is sick and stopped claiming jobs; w1 on .*: the disk is full$/),
    });
    await database.pool.query(`UPDATE workers SET last_seen = now() - interval '1 day'`);
    expect(await examined()).toMatchObject({ state: 'warning' });
  });

  test('finds deliveries that were given up or wait for a disabled webhook, and says how to send them', async () => {
    expect((await findings()).get('webhooks')).toMatchObject({ state: 'ok' });
    await database.pool.query(
      `WITH hook AS (
         INSERT INTO webhooks (user_id, url, events, secret, enabled, disabled_reason)
         VALUES ('local', 'https://example.com/', '{job.failed}', 'whsec_x', false, 'it was disabled by hand') RETURNING id
       )
       INSERT INTO webhook_deliveries (webhook_id, event, payload) SELECT id, 'webhook.test', '{}' FROM hook`,
    );
    expect((await findings()).get('webhooks')).toMatchObject({
      state: 'warning',
      found: '1 webhook, 0 failing, 1 disabled; 1 delivery pending, 0 dead',
      advice: expect.stringMatching(/^1 pending delivery waits for a disabled webhook.*webhooks enable ID/),
    });
    await database.pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload, status)
       SELECT gen_random_uuid(), 'webhook.test', '{}', 'dead' FROM generate_series(1, 10001)`,
    );
    expect((await findings()).get('webhooks')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/, 10000 or more dead$/),
      advice: expect.stringContaining('--dead'),
    });
  });

  test('finds a server that may forget what it has confirmed, and fails', async () => {
    const outcome = await runHoldfast(['doctor'], { DATABASE_URL: database.url, ...noBrowser });
    // The server of the tests runs with fsync off, for speed.
    expect(outcome).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/FAIL {2}durability +fsync = off/),
    });
  });

  test('finds a schema that a newer Holdfast made', async () => {
    await database.pool.query(
      `INSERT INTO holdfast_migrations (version, name, checksum) VALUES (9999, '9999_future.sql', 'x')`,
    );
    expect((await findings()).get('schema')).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('version 9999, from a newer Holdfast'),
    });
  });

  test('reports a database that does not answer instead of failing itself', async () => {
    const found = await findings({ DATABASE_URL: 'postgresql://me@127.0.0.1:1/db' });
    expect(found.get('database')).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('holds jobs to the invariants when asked to, and names the job and what to do', async () => {
    await database.pool.query(
      `INSERT INTO crawl_jobs (kind, payload, status, worker_id, lease_expires_at)
       VALUES ('crawl', '{}', 'processing', 'w1', now() - interval '10 minutes')`,
    );
    const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM crawl_jobs');
    const { exit, stdout } = await runHoldfast(['doctor', '--invariants', '--job', rows[0]?.id ?? ''], {
      DATABASE_URL: database.url,
    });
    expect(exit).toBe(1);
    expect(
      [...stdout.matchAll(/^(ok|FAIL) +invariant (\d)/gm)].map(([, state, number]) => [state, number]),
    ).toEqual([1, 2, 3, 3, 4, 5, 7, 8].map((number) => [number === 4 ? 'FAIL' : 'ok', String(number)]));
    expect(stdout).toMatch(new RegExp(`invariant 4 .*job ${rows[0]?.id}: held by w1.*\n +→ .*holdfast up`));
    expect(stdout).toContain('(1 crawl examined)');
    expect(stdout).toContain('(1 job examined)');
  });

  test.each([[['--invariants', '--job', 'nope']], [['--job', '019aa2a3-7d5c-7a4e-8f6b-3a1d2c4e5f60']]])(
    'a job that does not exist is an error of the question, not of the database: %s',
    async (args) => {
      expect(await runHoldfast(['doctor', ...args], { DATABASE_URL: database.url })).toEqual({
        exit: 3,
        stdout: '',
        stderr: expect.stringContaining(`Job not found: ${args.at(-1)}`),
      });
    },
  );
});
