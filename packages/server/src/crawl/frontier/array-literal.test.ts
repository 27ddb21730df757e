import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { arrayLiteral } from './array-literal.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => await database.drop());

const lists: (string | null)[][] = [
  [],
  ['http://a.test/', 'http://a.test/?list={1,2}&of=NULL'],
  ['NULL', null, '', ' ', 'null'],
  ['http://a.test/?quote="', 'http://a.test/?back\\slash', '\\"', '\\\\', 'http://a.test/?plain'],
  ['http://a.test/ä,{ö}', "it's", 'two\nlines'],
];

test.each(lists.map((list) => [list]))('PostgreSQL reads the elements of %j as they were', async (list) => {
  const { rows } = await database.pool.query('SELECT $1::text[] AS read', [
    arrayLiteral(list, (item) => item),
  ]);
  expect(rows[0].read).toEqual(list);
});

test('numbers and hashes are read as such', async () => {
  const hash = '0e3b6f1c-5a7d-4c8e-9b1f-2a3c4d5e6f70';
  const { rows } = await database.pool.query('SELECT $1::integer[] AS numbers, $2::uuid[] AS hashes', [
    arrayLiteral([1, 1, 2], (item) => item),
    arrayLiteral([hash, null], (item) => item),
  ]);
  expect(rows[0].numbers).toEqual([1, 1, 2]);
  expect(rows[0].hashes).toEqual([hash, null]);
});
