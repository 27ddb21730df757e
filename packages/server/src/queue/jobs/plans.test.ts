import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import { actor, crawlLane } from '../../../../../test/queue-fixture/queue-fixture.ts';
import type { Statement } from '../../base/database/statement.ts';
import { findPrunableStatement, pruneStatement } from '../../crawl/retention/prune-jobs.ts';
import { claimJobs, claimReadyStatement, claimStatement } from './claim-jobs.ts';
import { completeStatement } from './complete-jobs.ts';
import { crashStatement } from './crash-jobs.ts';
import { failStatement } from './fail-jobs.ts';
import { failStartStatement } from './fail-starts.ts';
import { recoverStatement } from './recover-jobs.ts';
import { releaseStatement } from './release-jobs.ts';
import { renewLeases, renewStatement } from './renew-leases.ts';
import { retryLaterStatement } from './retry-jobs-later.ts';
import { retryNowStatement } from './retry-jobs-now.ts';
import { runNowStatement } from './run-jobs-now.ts';
import { waitingForSourceStatement } from './waiting-jobs.ts';

const primaryKey = 'crawl_jobs_pkey';
const ids = Array.from({ length: 500 }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`);
const each = (value: unknown) => ids.map(() => value);
const failed = [ids, each(1), each('run_failed'), each('The run failed'), each(null)];

const claim = [
  ['crawl'],
  ['builtin'],
  [120, 0, 0, 0],
  ['crawl'],
  ['builtin'],
  [32767],
  [-32768],
  ['-infinity'],
  500,
  'w1',
  actor,
  [],
];

const statements: [string, Statement<never>, unknown[], string[]][] = [
  [
    'claim',
    claimStatement as Statement<never>,
    claim,
    ['Tid Scan', 'crawl_jobs_ready', 'crawl_jobs_waiting'],
  ],
  ['claim-ready', claimReadyStatement as Statement<never>, claim, ['Tid Scan', 'crawl_jobs_ready']],
  [
    'recover',
    recoverStatement as Statement<never>,
    [1000, 'message', actor],
    [primaryKey, 'crawl_jobs_processing, whole'],
  ],
  ['renew', renewStatement as Statement<never>, [ids, each(1), each(null)], [primaryKey]],
  ['complete', completeStatement as Statement<never>, [ids, each(1), each(actor), actor], [primaryKey]],
  ['retryLater', retryLaterStatement as Statement<never>, [...failed, actor, each(null)], [primaryKey]],
  ['retryNow', retryNowStatement as Statement<never>, [...failed, each(actor)], [primaryKey]],
  ['fail', failStatement as Statement<never>, [...failed, actor], [primaryKey]],
  ['crash', crashStatement as Statement<never>, [...failed, actor], [primaryKey]],
  [
    'failStart',
    failStartStatement as Statement<never>,
    [...failed, actor, 'w1', 10, each('[]'), true],
    [primaryKey],
  ],
  [
    'release',
    releaseStatement as Statement<never>,
    [ids, each(1), each('drain'), each(null), actor, each(null), each(null)],
    [primaryKey],
  ],
  ['runNow', runNowStatement as Statement<never>, [ids, actor, null], [primaryKey]],
  [
    'waiting-for-source',
    waitingForSourceStatement as Statement<never>,
    ['host:a.test'],
    ['crawl_jobs_waiting, whole'],
  ],
  ['find-prunable', findPrunableStatement as Statement<never>, [ids[0], 30, 1000], [primaryKey]],
  ['prune', pruneStatement as Statement<never>, [ids, 30], [primaryKey]],
];

/** A full table, in the statuses of a queue that has run for a while. */
const fill = `
  INSERT INTO crawl_jobs (event_count, kind, payload, status, priority, run_at, completed_at)
  SELECT 1, 'crawl', '{"url": "https://example.com/"}',
    CASE WHEN n <= $1::int THEN 'completed' ELSE 'pending' END::job_status, n % 5,
    CASE WHEN n > $1 AND n <= $1 + $2 THEN now() + interval '1 day' END,
    CASE WHEN n <= $1::int THEN now() END
  FROM generate_series(1, $1::int + $2::int + $2::int) AS n`;
const full = process.env.HOLDFAST_TEST_FULL === '1';
const [finished, waiting] = full ? [1_000_000, 100_000] : [200_000, 20_000];

describe.each([
  ['no statistics at all', '', ''],
  ['statistics from when the table was empty', 'ANALYZE crawl_jobs', ''],
  ['fresh statistics that know of no processing job', '', 'ANALYZE crawl_jobs'],
])(`with ${finished} finished, ${waiting} waiting and ${waiting} pending jobs and %s`, (_, before, after) => {
  let database: TestDatabase;
  let client: PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = await database.pool.connect();
    await client.query('ALTER TABLE crawl_jobs SET (autovacuum_enabled = false)');
    if (before) await client.query(before);
    await client.query(fill, [finished, waiting]);
    if (after) await client.query(after);
    // Behind the statistics' back: they say that no job is processing.
    await claimJobs(client, { lanes: [crawlLane], limit: 5_000, workerId: 'w1' });
  });
  afterAll(async () => {
    client.release();
    await database.drop();
  });

  describe.each([
    ['a generic plan', true],
    ['a plan for its values', false],
  ])('and %s', (_, generic) => {
    test.each(statements)('%s goes by its own indexes', async (_, statement, values, expected) => {
      expect(await accessPaths(client, statement, values, { table: 'crawl_jobs', generic })).toEqual(
        expected.sort(),
      );
    });
  });
});

/** A session keeps the plans that it made when the table was empty until somebody analyses the table. */
describe.each([
  ['empty', ''],
  ['empty, and analysed', 'VACUUM ANALYZE crawl_jobs'],
])('with plans that were made when the table was %s', (_, before) => {
  test('all go by their own indexes', async () => {
    const database = await createTestDatabase({ max: 1 });
    const client = await database.pool.connect();
    if (before) await client.query(before);
    for (const [name, statement, values, expected] of statements) {
      const paths = await accessPaths(client, statement, values, { table: 'crawl_jobs', generic: true });
      expect([name, paths]).toEqual([name, expected.sort()]);
    }
    client.release();
    await database.drop();
  });
});

test('renewals are HOT: they touch no index', async ({ skip }) => {
  const database = await createTestDatabase({ max: 1 });
  onTestFinished(() => database.drop());
  const { rows: servers } = await database.pool.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  skip(
    (servers[0]?.version ?? 0) < 160_000,
    'PostgreSQL 16 is the first to count rows that move to another page',
  );
  await database.pool.query('ALTER TABLE crawl_jobs SET (autovacuum_enabled = false)');
  await database.pool.query(fill, [0, 2_000]);
  const held = await claimJobs(database.pool, { lanes: [crawlLane], limit: 1_000, workerId: 'w1' });
  expect(held).toHaveLength(1_000);
  const updates = async () => {
    await database.pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await database.pool.query<{ all: number; hot: number; moved: number }>(
      `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot, n_tup_newpage_upd AS moved
       FROM pg_stat_user_tables WHERE relname = 'crawl_jobs'`,
    );
    return rows[0] ?? { all: 0, hot: 0, moved: 0 };
  };
  const before = await updates();
  for (let beat = 1; beat <= 20; beat++) await renewLeases(database.pool, held);
  const after = await updates();
  expect(after.all - before.all).toBe(20_000);
  const hot = after.hot - before.hot;
  expect(hot).toBeGreaterThan(0);
  // A row moves to another page, and into the indexes, only where its own is full of versions that a transaction of some
  // other database of this server still keeps from being tidied up (measured without one: 65 % are HOT in
  // the first beat, all of them from the seventh on).
  expect(hot + after.moved - before.moved).toBe(20_000);
});
