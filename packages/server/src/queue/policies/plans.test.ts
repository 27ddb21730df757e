import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import type { Statement } from '../../base/database/statement.ts';
import { createDueJobsStatement } from './scheduler.ts';
import { scheduler } from './testing/policy-fixture.ts';

const statement = createDueJobsStatement as Statement<never>;

/** One in a thousand is due. One in ten has had a job, and one in a hundred has it still, whether its row says so or not. */
const fill = (policies: number) => `
  INSERT INTO crawl_policies (kind, url, next_run_at, has_live_job)
  SELECT 'crawl', 'https://example.com/' || n,
    now() + CASE WHEN n % 1000 = 0 THEN interval '-1 minute' ELSE make_interval(mins => 1 + n % 1000) END, n % 200 = 0
  FROM generate_series(1, ${policies}) n;
  INSERT INTO crawl_jobs (kind, payload, status, completed_at, dedupe_key, policy_id, scheduled_for)
  SELECT kind, jsonb_build_object('url', url), CASE WHEN is_live THEN 'pending' ELSE 'completed' END::job_status,
    CASE WHEN NOT is_live THEN now() END, 'policy:' || id, id, now() - interval '1 day'
  FROM (SELECT *, substring(url FROM 21)::integer % 100 = 0 AS is_live FROM crawl_policies) policy
  WHERE substring(url FROM 21)::integer % 10 = 0`;

/** A session keeps the plans that it made when the tables were empty until somebody analyses them. */
describe.each([
  ['no policies', 0, '', ''],
  ['no policies, and tables that were analysed', 0, 'VACUUM ANALYZE crawl_jobs, crawl_policies', ''],
  ['30,000 policies and no statistics at all', 30_000, '', ''],
  [
    '30,000 policies and statistics from when there were none',
    30_000,
    'ANALYZE crawl_jobs, crawl_policies',
    '',
  ],
  ['30,000 policies and fresh statistics', 30_000, '', 'ANALYZE crawl_jobs, crawl_policies'],
])('with %s', (_, policies, before, after) => {
  let database: TestDatabase;
  let client: PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = await database.pool.connect();
    for (const table of ['crawl_jobs', 'crawl_policies'])
      await client.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    if (before) await client.query(before);
    await client.query(fill(policies));
    if (after) await client.query(after);
  });
  afterAll(async () => {
    client.release();
    await database.drop();
  });

  test.each([
    ['a generic plan', true],
    ['a plan for its values', false],
  ])('due jobs are made by indexes alone, with %s', async (_, generic) => {
    const paths = (table: string) => accessPaths(client, statement, [500, scheduler], { table, generic });
    expect(await paths('crawl_policies')).toEqual(['crawl_policies_due', 'crawl_policies_pkey']);
    expect(await paths('crawl_jobs')).toEqual([
      'crawl_jobs_one_live_per_dedupe_key',
      'crawl_jobs_one_per_due_time',
    ]);
  });
});
