import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { migrate } from './migrate.ts';
import { migrationsFolder, readMigrationState } from './migration-state.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase({ migrated: false, max: 8 });
  folder = mkdtempSync(join(tmpdir(), 'holdfast-migrations-'));
  write('0001_one.sql', 'CREATE TABLE one (id int);\nINSERT INTO one VALUES (1);\n');
  write('0002_two.sql', 'CREATE TABLE two (id int);\n');
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql);

async function tables(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  return rows.map((row) => row.name);
}

test('pending migrations are applied in order, and only those', async () => {
  expect(await migrate(database.pool, folder)).toEqual({
    applied: ['0001_one.sql', '0002_two.sql'],
    version: 2,
  });
  write('0003_three.sql', 'ALTER TABLE two ADD COLUMN name text;');
  expect(await migrate(database.pool, folder)).toEqual({ applied: ['0003_three.sql'], version: 3 });
  expect(await migrate(database.pool, folder)).toEqual({ applied: [], version: 3 });
  expect(await tables()).toEqual(['holdfast_migrations', 'one', 'two']);
});

test('eight processes that migrate at once apply every migration once', async () => {
  const results = await Promise.all(Array.from({ length: 8 }, () => migrate(database.pool, folder)));
  expect(results.map((result) => result.applied.length).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 2]);
  expect(results.every((result) => result.version === 2)).toBe(true);
  const { rows } = await database.pool.query('SELECT count(*) AS rows FROM one');
  expect(rows).toEqual([{ rows: 1 }]);
});

test('a migrated database is recognised by one query without a lock', async () => {
  await migrate(database.pool, folder);
  const blocker = await database.pool.connect();
  await blocker.query(`BEGIN; SELECT pg_advisory_xact_lock(x'6d69677261746573'::bigint)`);
  expect(await migrate(database.pool, folder)).toEqual({ applied: [], version: 2 });
  await blocker.query('ROLLBACK');
  blocker.release();
});

test('a migration that was changed after it was applied is refused and named', async () => {
  await migrate(database.pool, folder);
  appendFileSync(join(folder, '0001_one.sql'), '-- more\n');
  await expect(migrate(database.pool, folder)).rejects.toMatchObject({
    code: 'migration_changed',
    detail: '0001_one.sql',
  });
});

test('other line ends are no change', async () => {
  await migrate(database.pool, folder);
  write('0001_one.sql', readFileSync(join(folder, '0001_one.sql'), 'utf8').replaceAll('\n', '\r\n'));
  expect(await migrate(database.pool, folder)).toEqual({ applied: [], version: 2 });
});

test('a database of a newer Holdfast is refused, with both versions named', async () => {
  await migrate(database.pool, folder);
  rmSync(join(folder, '0002_two.sql'));
  await expect(migrate(database.pool, folder)).rejects.toMatchObject({
    code: 'schema_newer',
    detail: 'the database is at 0002_two.sql (version 2), this code knows up to 0001_one.sql',
  });
});

test('a failing migration names its file and line, and leaves nothing of the whole batch', async () => {
  write('0003_three.sql', '-- Käse 🧀\nCREATE TABLE three (id int);\nSELECT nothing\nFROM nowhere;\n');
  await expect(migrate(database.pool, folder)).rejects.toMatchObject({
    code: 'migration_failed',
    detail: '0003_three.sql, line 4: relation "nowhere" does not exist',
  });
  expect(await tables()).toEqual([]);
});

test('the state tells what is applied, pending, changed and unknown', async () => {
  await migrate(database.pool, folder);
  rmSync(join(folder, '0002_two.sql'));
  appendFileSync(join(folder, '0001_one.sql'), '-- more\n');
  write('0003_three.sql', 'SELECT 1');
  const state = await readMigrationState(database.pool, folder);
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  expect(names(state.known)).toEqual(['0001_one.sql', '0003_three.sql']);
  expect(names(state.applied)).toEqual(['0001_one.sql', '0002_two.sql']);
  expect(names(state.pending)).toEqual(['0003_three.sql']);
  expect(names(state.changed)).toEqual(['0001_one.sql']);
  expect(names(state.unknown)).toEqual(['0002_two.sql']);
  expect(state.applied[0]?.appliedAt).toBeInstanceOf(Date);
});

test('the migrations of the package are found from the sources', () => {
  expect(migrationsFolder()).toMatch(/packages[\\/]server[\\/]migrations$/);
});
