import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { addDecimals, decimal, formatDecimal, multiplyDecimals } from './decimal.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const money = /price|amount|cost|mean|median|^p\d\d$/;

test('every column that holds money is numeric, never a float', async () => {
  const { rows } = await database.pool.query<{ name: string; type: string }>(
    `SELECT table_name || '.' || column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = 'public'`,
  );
  const columns = rows.filter(
    ({ name, type }) => money.test(name.split('.')[1] ?? '') && !/text|enum|USER|json|uuid|bool/i.test(type),
  );
  expect(columns.length).toBeGreaterThan(0);
  expect(columns.filter(({ type }) => type !== 'numeric')).toEqual([]);
});

test.each([
  ['0.1 + 0.2', formatDecimal(addDecimals(decimal('0.1'), decimal('0.2'))), '0.3'],
  ['19.99 × 3', formatDecimal(multiplyDecimals(decimal('19.99'), decimal('3'))), '59.97'],
  ['yen', '123456', '123456'],
  ['Kuwaiti dinars', '1.250', '1.250'],
  ['more digits than a float has', '90071992547409931.01', '90071992547409931.01'],
])('%s comes back from the database digit for digit', async (_name, sent, expected) => {
  const { rows } = await database.pool.query<{ price: string; text: string }>(
    'SELECT $1::numeric AS price, ($1::numeric)::text AS text',
    [sent],
  );
  expect(rows[0]).toEqual({ price: expected, text: expected });
  expect(formatDecimal(decimal(rows[0]?.price ?? ''))).toBe(expected);
});
