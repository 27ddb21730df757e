import type { Policy, PolicyFilter } from '@holdfast/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { listPolicies } from './find-policies.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `INSERT INTO crawl_policies (user_id, kind, url, enabled)
     SELECT CASE WHEN n % 100 = 0 THEN 'bob' WHEN n % 2 = 0 THEN 'alice' ELSE 'local' END, 'crawl',
       'https://' || CASE WHEN n % 1501 = 8 THEN 'needle' ELSE 'hay' END || '.example/' || n, n % 4001 <> 8
     FROM generate_series(1, 12000) AS n`,
  );
  await database.pool.query('ANALYZE crawl_policies');
});
afterAll(() => database.drop());

/** Every policy that matches, part by part. */
async function walk(filter: PolicyFilter, owner?: string) {
  const found: Policy[] = [];
  let parts = 0;
  for (let after: string | undefined; ; ) {
    const { rows, next } = await listPolicies(
      database.pool,
      { limit: 3, ...filter, ...(after && { after }) },
      owner,
    );
    found.push(...rows);
    parts++;
    if (next === null) return { ids: found.map(({ id }) => id), parts };
    after = next;
  }
}

async function idsWhere(condition: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT id FROM crawl_policies WHERE ${condition} ORDER BY id DESC`,
  );
  return rows.map(({ id }) => id);
}

test('a search among many policies looks at a part of them at a time, and comes to every match once', async () => {
  const needles = await idsWhere(`url LIKE '%needle%'`);
  expect(needles).toHaveLength(8);
  expect((await walk({ search: 'NEEDLE' })).ids).toEqual(needles);
  expect((await walk({ search: 'needle' }, 'alice')).ids).toEqual(
    await idsWhere(`url LIKE '%needle%' AND user_id = 'alice'`),
  );
  expect((await walk({ search: 'needle' }, 'local')).ids).toEqual(
    await idsWhere(`url LIKE '%needle%' AND user_id = 'local'`),
  );
  expect((await walk({ enabled: false })).ids).toEqual(await idsWhere('NOT enabled'));
  expect(await walk({ search: 'nowhere' })).toEqual({ ids: [], parts: 9 });
  expect(await walk({ search: 'nowhere' }, 'bob')).toEqual({ ids: [], parts: 1 });
});

test.each<[string, PolicyFilter, string | undefined, string]>([
  ['all', {}, undefined, 'crawl_policies_pkey'],
  ['those with a word', { search: 'x' }, undefined, 'crawl_policies_pkey'],
  ['an owner', {}, 'bob', 'crawl_policies_of_owner'],
  ['an owner with a word', { search: 'x' }, 'bob', 'crawl_policies_of_owner'],
])('a list of %s goes along an index', async (_, filter, owner, index) => {
  const explained: string[] = [];
  const explaining = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await database.pool.query({ text: `EXPLAIN ${text}`, values });
      explained.push(...rows.map((row) => row['QUERY PLAN'] as string));
      return { rows: [] };
    },
  };
  await listPolicies(explaining as never, filter, owner);
  const plan = explained.join('\n');
  expect(plan).toContain(index);
  expect(plan).not.toContain('Seq Scan on crawl_policies');
});
