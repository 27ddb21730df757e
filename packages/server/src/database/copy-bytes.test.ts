import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../test/database-fixture/create-test-database.ts';
import { copyBytes } from './copy-bytes.ts';

describe('bytes that are copied', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  test('come as they are, whatever is in them', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(await copyBytes(database.pool, `SELECT '\\x${all.toString('hex')}'::bytea`)).toEqual(all);
  });

  test('come whole when there are many of them', async () => {
    const bytes = await copyBytes(database.pool, `SELECT convert_to(repeat('abcdefgh', 500000), 'UTF8')`);
    expect(bytes?.length).toBe(4_000_000);
    expect(bytes?.equals(Buffer.alloc(4_000_000, 'abcdefgh'))).toBe(true);
  });

  test.each(['SELECT NULL::bytea', 'SELECT NULL::bytea WHERE false'])('are null for %s', async (query) => {
    expect(await copyBytes(database.pool, query)).toBeNull();
  });

  test('are empty where the value is', async () => {
    expect(await copyBytes(database.pool, `SELECT ''::bytea`)).toEqual(Buffer.alloc(0));
  });

  test('leave the connection to whoever comes behind, also when they cannot be had', async () => {
    await expect(copyBytes(database.pool, 'SELECT NULL::bytea WHERE 1 / 0 = 1')).rejects.toMatchObject({
      code: '22012',
    });
    const { rows } = await database.pool.query('SELECT 2 AS two');
    expect(rows).toEqual([{ two: 2 }]);
    expect(await copyBytes(database.pool, `SELECT 'one'::bytea`)).toEqual(Buffer.from('one'));
    expect(database.pool.idleCount).toBe(database.pool.totalCount);
  });
});
