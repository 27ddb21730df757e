import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import type { Statement } from '../../base/database/statement.ts';
import { readStatements } from './read-frontier.ts';
import { retryUrlsStatement } from './retry-urls.ts';
import { returnPagesStatement } from './return-pages.ts';

const job = '00000000-0000-7000-8000-000000000001';
const index = 'crawl_frontier_retried';
const statements: [string, Statement<never>, unknown[]][] = [
  ['retry-urls', retryUrlsStatement as Statement<never>, [job, null, null, 'user:ann']],
  ['return-pages', returnPagesStatement as Statement<never>, [job, null, null, 1]],
  ['read-frontier-retried', readStatements.retried as Statement<never>, [job, 'a.test', 0, 128, 2 ** 44]],
];

describe.each([
  ['is empty', '', ''],
  ['grew since', 'ANALYZE crawl_frontier', ''],
  ['is analysed', '', 'ANALYZE crawl_frontier'],
])('where the frontier of a crawl %s', (name, before, after) => {
  let database: TestDatabase;
  let client: PoolClient;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = await database.pool.connect();
    if (name === 'is empty') return;
    await client.query('ALTER TABLE crawl_frontier SET (autovacuum_enabled = false)');
    if (before) await client.query(before);
    await client.query(
      `INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth, retry_of)
       SELECT $1, 'a.test', n, gen_random_uuid(), 'http://a.test/' || n, 1, CASE WHEN n = 7 THEN 'failed'::page_outcome END
       FROM generate_series(1, 50000) AS n`,
      [job],
    );
    await client.query(
      `INSERT INTO crawl_frontier (job_id, host, seq, url_hash, url, depth, retry_of)
       SELECT gen_random_uuid(), 'b.test', n, gen_random_uuid(), 'http://b.test/', 1, 'failed'
       FROM generate_series(1, 5000) AS n`,
    );
    if (after) await client.query(after);
  });
  afterAll(async () => {
    client.release();
    await database.drop();
  });

  test.each(statements)('%s reads only the pages that are tried again', async (_, statement, values) => {
    for (const generic of [true, false])
      expect(await accessPaths(client, statement, values, { table: 'crawl_frontier', generic })).toEqual([
        index,
      ]);
  });
});
