import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { int8Array, uuidArray, valueParsers } from './wire-values.ts';

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
  'what is not a UUID is refused before it is sent: %j',
  (id) => {
    expect(() => uuidArray([id])).toThrow('is not a UUID');
  },
);

const parse = (oid: number, text: string) => valueParsers.getTypeParser(oid, 'text')(text);

test('int8 comes as a number, alone and in arrays', () => {
  expect(parse(20, '9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parse(1016, '{1,NULL,-3}')).toEqual([1, null, -3]);
  expect(parse(1016, '{{1},{2}}')).toEqual([[1], [2]]);
});

test('an int8 that would be rounded is refused', () => {
  expect(() => parse(20, '9007199254740993')).toThrow('9007199254740993');
});

test('other types come as pg gives them', () => {
  expect(parse(1184, '2026-01-02 03:04:05.678+00')).toEqual(new Date('2026-01-02T03:04:05.678Z'));
  expect(parse(1700, '1.10')).toBe('1.10');
});
