import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import type { Statement } from '../../base/database/statement.ts';
import { lockLeasesStatement } from './bot-leases.ts';
import { claimAnyStatement, claimInDomainsStatement, claimOwnStatement } from './claim-for-bot.ts';
import { extendLeaseStatement } from './extend-lease.ts';

const ids = Array.from({ length: 50 }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`);
const each = (value: unknown) => ids.map(() => value);
const asked = [ids, each('b'), each('alice'), each(false), each(null)];
const pull = ['b', 'alice', 10, null, [], false, null];
const claimed = ['Tid Scan', 'crawl_jobs_waiting', 'crawl_jobs_processing, whole'];

const statements: [string, Statement<never>, unknown[], string[]][] = [
  [
    'the claim of an owner',
    claimOwnStatement as Statement<never>,
    pull,
    [...claimed, 'crawl_jobs_ready_for_bots'],
  ],
  ['the claim of any owner', claimAnyStatement as Statement<never>, pull, [...claimed, 'crawl_jobs_ready']],
  [
    'the claim in domains',
    claimInDomainsStatement as Statement<never>,
    [...pull, ['moc.elpmaxe'], [''], false],
    [...claimed, 'crawl_jobs_ready_in_domain', 'crawl_jobs_pkey'],
  ],
  ['the lock of leases', lockLeasesStatement as Statement<never>, asked, ['crawl_jobs_pkey']],
  [
    'a heartbeat',
    extendLeaseStatement as Statement<never>,
    asked.map((list) => list.slice(0, 1)),
    ['crawl_jobs_pkey'],
  ],
];

/** Jobs of many hosts and two owners, most of them finished. */
const fill = `
  INSERT INTO crawl_jobs (event_count, kind, executor, payload, user_id, host, status, priority, run_at, completed_at)
  SELECT 1, 'visit', 'bot', '{"url": "https://example.com/"}', CASE WHEN n % 10 = 0 THEN 'alice' ELSE 'bob' END,
    'shop' || n % 50 || '.example.com', CASE WHEN n <= $1::int THEN 'completed' ELSE 'pending' END::job_status, n % 5,
    CASE WHEN n > $1 AND n <= $1 + $2 THEN now() + interval '1 day' END, CASE WHEN n <= $1::int THEN now() END
  FROM generate_series(1, $1::int + $2::int + $2::int) AS n`;

/** A session keeps the plans that it made when the table was empty until somebody analyses the table. */
describe.each([
  ['an empty table', 0, '', ''],
  ['an empty table that was analysed', 0, 'VACUUM ANALYZE crawl_jobs', ''],
  ['a full table with no statistics at all', 10_000, '', ''],
  ['a full table with statistics from when it was empty', 10_000, 'ANALYZE crawl_jobs', ''],
  ['a full table with fresh statistics that know of no held job', 10_000, '', 'ANALYZE crawl_jobs'],
])('in %s', (_, pending, before, after) => {
  let database: TestDatabase;
  let client: PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = await database.pool.connect();
    await client.query('ALTER TABLE crawl_jobs SET (autovacuum_enabled = false)');
    if (before) await client.query(before);
    await client.query(fill, [5 * pending, pending]);
    if (after) await client.query(after);
  });
  afterAll(async () => {
    client.release();
    await database.drop();
  });

  test.each(statements)('%s goes by its own indexes', async (_, statement, values, expected) => {
    const paths = await accessPaths(client, statement, values, { table: 'crawl_jobs', generic: true });
    expect(paths).toEqual(expected.toSorted());
  });
});
