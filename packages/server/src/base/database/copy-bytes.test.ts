import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { copyBytes } from './copy-bytes.ts';

describe('bytes that are copied', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  async function valuesOf(query: string): Promise<Buffer[]> {
    const values: Buffer[] = [];
    await copyBytes(database.pool, query, (bytes) => values.push(Buffer.from(bytes)));
    return values;
  }

  test('come as they are, whatever is in them', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(await valuesOf(`SELECT '\\x${all.toString('hex')}'::bytea`)).toEqual([all]);
  });

  test.each([1, 65_000, 65_536, 70_000, 4_000_000])(
    'come whole when there are %i of them',
    async (length) => {
      const many = `SELECT convert_to(repeat('a', ${length - 1}) || row, 'UTF8') FROM generate_series(1, 3) AS row`;
      const values = await valuesOf(many);
      expect(
        values.map((value) => [
          value.length,
          value.at(-1),
          value.subarray(0, -1).every((byte) => byte === 97),
        ]),
      ).toEqual([
        [length, 0x31, true],
        [length, 0x32, true],
        [length, 0x33, true],
      ]);
    },
  );

  test('are none where there is no row, or no value', async () => {
    expect(await valuesOf('SELECT NULL::bytea WHERE false')).toEqual([]);
    expect(await valuesOf('SELECT NULL::bytea')).toEqual([]);
    expect(await valuesOf(`VALUES (NULL::bytea), ('one'), ('')`)).toEqual([
      Buffer.from('one'),
      Buffer.alloc(0),
    ]);
  });

  test('leave the connection to whoever comes behind, also when they cannot be had', async () => {
    await expect(valuesOf('SELECT NULL::bytea WHERE 1 / 0 = 1')).rejects.toMatchObject({ code: '22012' });
    const { rows } = await database.pool.query('SELECT 2 AS two');
    expect(rows).toEqual([{ two: 2 }]);
    expect(await valuesOf(`SELECT 'one'::bytea`)).toEqual([Buffer.from('one')]);
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });
});
