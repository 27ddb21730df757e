import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const ids = async (text: string): Promise<string[]> =>
  (await database.pool.query<{ id: string }>(text)).rows.map(({ id }) => id);

test('ids of one moment are in the order in which they were made, whichever sessions made them', async () => {
  const made: string[] = [];
  const sessions = await Promise.all([1, 2, 3].map(() => database.pool.connect()));
  try {
    for (let n = 0; n < 60; n++) {
      const { rows } = await (sessions[n % 3] as (typeof sessions)[0]).query<{ id: string }>(
        `SELECT uuid_v7_at('2026-03-04 05:06:07.891011Z') AS id FROM generate_series(1, 20)`,
      );
      made.push(...rows.map(({ id }) => id));
    }
  } finally {
    for (const session of sessions) session.release();
  }
  expect(new Set(made).size).toBe(1_200);
  expect(made).toEqual(made.toSorted());
});

test('an id of a later microsecond is greater, also when the counter began anew in between', async () => {
  const at = (us: number) =>
    ids(`SELECT uuid_v7_at('2026-03-04 05:06:07.998Z'::timestamptz + ${us} * interval '1 us') AS id`);
  const made: string[] = [];
  for (const us of [0, 1, 2, 998, 999, 1_000, 1_999, 2_000]) {
    made.push(...(await at(us)));
    if (us === 1) await database.pool.query(`SELECT setval('uuid_v7_counter', 1073741823)`);
  }
  expect(made).toEqual(made.toSorted());
});

test('an id is of version 7, and begins with its millisecond', async () => {
  const at = Date.parse('2026-03-04T05:06:07.891Z').toString(16).padStart(12, '0');
  for (const fraction of ['', '011', '999'])
    expect(await ids(`SELECT uuid_v7_at('2026-03-04 05:06:07.891${fraction}Z') AS id`)).toEqual([
      expect.stringMatching(`^${at.slice(0, 8)}-${at.slice(8)}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
    ]);
});

test('rows inserted together have the order in which they were given', async () => {
  const made = await ids(
    `INSERT INTO crawl_policies (kind, url) SELECT 'crawl', 'https://example.com/' || n FROM generate_series(1, 500) AS n
     RETURNING id`,
  );
  expect(made).toEqual(made.toSorted());
});
