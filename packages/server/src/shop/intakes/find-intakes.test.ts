import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import type { Queryable } from '../../base/database/statement.ts';
import { searchJobs } from '../../queue/jobs/search-jobs.ts';
import { type IntakeFilter, listIntakes } from './find-intakes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `INSERT INTO intakes (user_id, title, reference, tags)
     SELECT CASE WHEN n % 100 = 0 THEN 'bob' ELSE 'alice' END, 'Dollar ' || n, 'no-' || n,
       CASE WHEN n = 7 THEN ARRAY['rare'] ELSE ARRAY['coin'] END
     FROM generate_series(1, 30000) AS n`,
  );
  await database.pool.query(
    `INSERT INTO valuations (intake_id, currency, p10, p20, p40, median, p60, p80, p90, mean, comparables, sources, sold, ask,
       outliers, other_currencies, not_used, confidence, reasons)
     SELECT id, 'USD', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, CASE reference WHEN 'no-9' THEN 9 ELSE 2 END, '[]'
     FROM intakes WHERE reference NOT IN ('no-1', 'no-2')`,
  );
  await database.pool.query(
    `INSERT INTO crawl_jobs (kind, intake_id, payload, status, completed_at)
     SELECT 'collect', id, jsonb_build_object('intake_id', id), 'completed', now() FROM intakes`,
  );
  await database.pool.query('VACUUM ANALYZE intakes, valuations, crawl_jobs');
});
afterAll(() => database.drop());

/** Every intake that matches, page by page. */
async function walk(filter: Omit<IntakeFilter, 'limit' | 'after'>) {
  const references: (string | null)[] = [];
  let pages = 0;
  let after: string | undefined;
  do {
    const page = await listIntakes(database.pool, { ...filter, after, limit: 2 });
    references.push(...page.rows.map(({ reference }) => reference));
    after = page.next ?? undefined;
    pages++;
  } while (after !== undefined);
  return { references, pages };
}

/** Passes on queries as questions for their plans, and keeps the answers. */
async function plan(ask: (db: Queryable) => Promise<unknown>): Promise<string> {
  const explained: string[] = [];
  const explaining = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await database.pool.query({ text: `EXPLAIN ${text}`, values });
      explained.push(...rows.map((row) => row['QUERY PLAN'] as string));
      return { rows: [] };
    },
  };
  await ask(explaining as never);
  return explained.join('\n');
}

test('what few intakes have is found among many, and what only their rows tell within a bounded number of them', async () => {
  expect((await walk({ valued: false })).references.sort()).toEqual(['no-1', 'no-2']);
  expect((await walk({ tag: 'rare' })).references).toEqual(['no-7']);
  expect((await walk({ reference: 'no-123' })).references).toEqual(['no-123']);
  expect(await walk({ confidence: 9 })).toEqual({ references: ['no-9'], pages: 21 });
  expect(await walk({ search: 'DOLLAR 30000' })).toEqual({ references: ['no-30000'], pages: 21 });
  const all = (await walk({ search: 'dollar 29' })).references;
  expect(all).toHaveLength(1_111);
  expect(new Set(all).size).toBe(1_111);
  expect((await walk({ owner: 'bob', search: 'dollar 100' })).references.sort()).toEqual([
    'no-100',
    ...['no-1000', 'no-10000'],
  ]);
});

test.each<[Omit<IntakeFilter, 'limit'>, string]>([
  [{}, 'intakes_pkey'],
  [{ owner: 'bob' }, 'intakes_of_owner'],
  [{ valued: false }, 'intakes_not_valued'],
  [{ valued: true }, 'intakes_valued'],
  [{ reference: 'no-5' }, 'intakes_by_reference'],
  [{ tag: 'rare' }, 'intakes_by_tag'],
  [{ search: 'dollar' }, 'intakes_pkey'],
  [{ confidence: 7 }, 'intakes_pkey'],
])('a list of %j goes along %s', async (filter, index) => {
  const text = await plan((db) => listIntakes(db, { ...filter, limit: 50 }));
  expect(text).toContain(index);
  expect(text).not.toContain('Seq Scan on intakes');
  expect(text).not.toContain('Seq Scan on valuations');
});

test('the jobs of an intake are found by their index', async () => {
  const [intake] = (await listIntakes(database.pool, { reference: 'no-3', limit: 1 })).rows;
  const filter = { intake_id: String(intake?.id).toUpperCase() };
  const { rows, next } = await searchJobs(database.pool, { filter, limit: 50 });
  expect(rows.map(({ payload }) => payload)).toEqual([{ intake_id: intake?.id }]);
  expect(next).toBeNull();
  expect(await plan((db) => searchJobs(db, { filter, limit: 50 }))).toContain('crawl_jobs_of_intake');
});

test('the confidence beside an intake follows its valuation', async () => {
  const client = await database.pool.connect();
  const confidenceOf = async () => {
    const { rows } = await client.query(`SELECT id, confidence FROM intakes WHERE reference = 'no-20'`);
    return rows[0].confidence as number | null;
  };
  const change = (text: string) =>
    client.query(
      `${text} WHERE intake_id = (SELECT id FROM intakes WHERE reference = 'no-20') AND confidence > 0`,
    );
  await client.query('BEGIN');
  try {
    expect(await confidenceOf()).toBe(2);
    await change('UPDATE valuations SET confidence = 5');
    expect(await confidenceOf()).toBe(5);
    await change('DELETE FROM valuations');
    expect(await confidenceOf()).toBeNull();
  } finally {
    // As the other tests expect it.
    await client.query('ROLLBACK');
    client.release();
  }
});
