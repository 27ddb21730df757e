import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { startPooler } from '../../../../../test/database-fixture/start-pooler.ts';
import { Listener } from '../../queue/jobs/notifications.ts';
import { openDatabase } from './open-database.ts';
import { type Queryable, run, statement } from './statement.ts';

const log = pino({ level: 'silent' });
const configured = (databaseUrl: string) => ({ databaseUrl, dataFolder: '/nonexistent', databasePort: 0 });

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

test('DATABASE_URL is used when it is set, and described without the password', async () => {
  const opened = await openDatabase(configured(database.url), log, { name: 'reader' });
  const { password, port } = new URL(database.url);
  expect(opened.describe).toMatch(
    new RegExp(`^PostgreSQL [\\d.]+ at 127\\.0\\.0\\.1:${port}, database test_`),
  );
  expect(opened.describe).not.toContain(password);
  const { rows } = await opened.pool.query(`SELECT current_setting('application_name') AS name`);
  expect(rows).toEqual([{ name: 'holdfast reader' }]);
  await opened.close();
  await opened.close();
});

test('every session of the pool has limits', async () => {
  const opened = await openDatabase(configured(database.url), log);
  const { rows } = await opened.pool.query(
    `SELECT name, setting FROM pg_settings WHERE name ~ '^(statement|lock|idle_in_transaction_session)_timeout$' ORDER BY 1`,
  );
  await opened.close();
  expect(rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', setting: '60000' },
    { name: 'lock_timeout', setting: '10000' },
    { name: 'statement_timeout', setting: '60000' },
  ]);
});

test('behind a pooler nothing is set for the session, and no startup parameter it would refuse is sent', async () => {
  const pooler = await startPooler(database.url);
  const opened = await openDatabase(configured(pooler.url), log);
  expect(opened.pooled).toBe(true);
  const { rows } = await opened.pool.query(`SELECT current_setting('statement_timeout') AS timeout`);
  expect(rows).toEqual([{ timeout: '0' }]);
  expect(pooler.startupParameters).toEqual(['application_name', 'client_encoding', 'database', 'user']);
  await opened.close();
  await pooler.close();
});

test('behind a pooler nothing is prepared or listened to on a connection that others use next', async () => {
  const pooler = await startPooler(database.url);
  const opened = await openDatabase(configured(pooler.url), log, { max: 1 });
  const named = statement<{ names: string[] }>(
    'what-is-prepared',
    'SELECT ARRAY(SELECT name FROM pg_prepared_statements) AS names',
  );
  await run(opened.pool as Queryable, named);
  expect(await run(opened.pool as Queryable, named)).toEqual([{ names: [] }]);
  const listener = new Listener({ url: pooler.url }, log);
  await listener.start();
  await vi.waitFor(async () => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'holdfast listener'`,
    );
    expect(rows).toEqual([]);
  });
  await listener.stop();
  await opened.close();
  await pooler.close();
});

test('a connection cut amid a transaction is an error of that transaction only', async () => {
  const opened = await openDatabase(configured(database.url), log);
  const client = await opened.pool.connect();
  await client.query('BEGIN');
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const cut = new Promise((resolve) => client.once('end', resolve));
  await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await cut;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  expect((await opened.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await opened.close();
});

test('a server that does not answer is named by host, port and database, without the password', async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  const url = `postgresql://someone:topsecret@127.0.0.1:${port}/jobs`;
  const error = await openDatabase(configured(url), log).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'database_unavailable' });
  expect(error.message).toContain(`database jobs at 127.0.0.1:${port}: connect ECONNREFUSED`);
  expect(error.message).not.toContain('topsecret');
});

test('a wrong password and a missing database are told apart', async () => {
  const wrong = new URL(database.url);
  wrong.password = 'wrong';
  await expect(openDatabase(configured(wrong.href), log)).rejects.toThrow('password authentication failed');
  const missing = new URL(inject('databaseUrl'));
  missing.pathname = '/missing';
  await expect(openDatabase(configured(missing.href), log)).rejects.toThrow(
    'database "missing" does not exist',
  );
});

test('a DATABASE_URL that is no URL is refused without repeating it', async () => {
  const error = await openDatabase(configured('postgresql://a:top secret@[/x'), log).catch(
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ code: 'config_invalid', detail: 'DATABASE_URL is not a valid URL' });
});

test('a server older than 14 is refused', async () => {
  // The server itself says it is older: this database finds another current_setting first.
  await database.pool.query(`
    CREATE SCHEMA older;
    CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql AS $$
      SELECT CASE name WHEN 'server_version_num' THEN '130009' ELSE '13.9 (Debian)' END
    $$;
    DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET search_path = older, pg_catalog', current_database());
    END $$`);
  await expect(openDatabase(configured(database.url), log)).rejects.toMatchObject({
    code: 'database_too_old',
    detail: 'the server is PostgreSQL 13.9 (Debian)',
  });
});
