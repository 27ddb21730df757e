import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { int8Array, uuidArray } from './wire-values.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ max: 1 });
});
afterAll(() => database.drop());

test('PostgreSQL reads the array that was meant', async () => {
  const ids = ['0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'];
  const numbers = [0, 1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER];
  const { rows } = await database.pool.query('SELECT $1::uuid[]::text[] AS ids, $2::bigint[] AS numbers', [
    uuidArray(ids),
    int8Array(numbers),
  ]);
  expect(rows).toEqual([{ ids: ids.map((id) => id.toLowerCase()), numbers }]);
});

test('an array of nothing is empty', async () => {
  const { rows } = await database.pool.query('SELECT cardinality($1::uuid[]) AS count', [uuidArray([])]);
  expect(rows).toEqual([{ count: 0 }]);
});

test.each(['', 'nonsense', '0199aaaa-bbbb-7ccc-8ddd-eeeeffff000', '0199aaaa-bbbb-7ccc-8ddd-eeeeffff000g'])(
  'what is no UUID is refused before it is sent: %j',
  (id) => {
    expect(() => uuidArray([id])).toThrow('is no UUID');
  },
);
