import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { SqlSession } from './sql-session.ts';

let database: TestDatabase;
let session: SqlSession;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE made (n int)');
  session = await SqlSession.open(database.url, { write: false, timeoutSeconds: 60, onNotice: () => {} });
});
afterAll(async () => {
  await session.close();
  await database.drop();
});

test.each([
  ['two statements that were taken for one', 'COMMIT; INSERT INTO made VALUES (1)', '42601'],
  [
    'a block that asks for a writable transaction',
    'DO $$ BEGIN SET TRANSACTION READ WRITE; INSERT INTO made VALUES (1); END $$',
    '25001',
  ],
  [
    'a block that sets one',
    `DO $$ BEGIN SET transaction_read_only = off; INSERT INTO made VALUES (1); END $$`,
    '25001',
  ],
  ['a function that sets one', `SELECT set_config('transaction_read_only', 'off', false)`, '25001'],
])('a session that only reads refuses %s', async (_, text, code) => {
  await expect(session.run(text)).rejects.toMatchObject({ code });
  expect((await session.run('SELECT n FROM made')).rows).toEqual([]);
  expect(session.isUnfinished).toBe(false);
});

test('a setting of the session holds for the statements behind it', async () => {
  await session.run(`SET TimeZone = 'Asia/Kathmandu'`);
  expect((await session.run('SHOW TimeZone')).rows).toEqual([['Asia/Kathmandu']]);
});
