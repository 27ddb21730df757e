import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobStatuses } from '@holdfast/contract';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { dialectViewNames } from './dialect-views.ts';
import { changeDialectViews, migrate } from './migrate.ts';
import { migrationsFolder } from './migration-state.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** In a session of its own, as whoever opens one now has it. */
async function asked(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
const searchPath = async () => (await asked('SHOW search_path'))[0]?.search_path;
const isThere = async (view: string) =>
  (await asked('SELECT to_regclass($1) IS NOT NULL AS there', [`dialect.${view}`]))[0]?.there;

/** With one more migration than there are. */
async function migrateWith(sql: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  try {
    cpSync(migrationsFolder(), folder, { recursive: true });
    writeFileSync(join(folder, '9999_later.sql'), sql);
    await migrate(database.pool, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the views of the documents', () => {
  test('are there when somebody asks for them, by their bare names, and gone when somebody asks for that', async () => {
    expect(await isThere('scrape_jobs')).toBe(false);
    const before = await searchPath();
    await changeDialectViews(database.pool, true);
    for (const view of dialectViewNames) expect(await asked(`SELECT * FROM ${view}`)).toEqual([]);
    expect(await searchPath()).toBe(`${before}, dialect`);
    await changeDialectViews(database.pool, true);
    expect(await searchPath()).toBe(`${before}, dialect`);
    await changeDialectViews(database.pool, false);
    expect([await isThere('scrape_jobs'), await searchPath()]).toEqual([false, before]);
    expect(await asked(`SELECT nspname FROM pg_namespace WHERE nspname = 'dialect'`)).toEqual([]);
    expect(
      await asked(
        'SELECT setconfig FROM pg_db_role_setting JOIN pg_database ON oid = setdatabase WHERE datname = current_database()',
      ),
    ).toEqual([]);
    await changeDialectViews(database.pool, false);
  });

  test('leave a search path that was set as it was', async () => {
    await database.pool.query(`CREATE SCHEMA "My schema"`);
    const role = (
      await asked("SELECT format('%I IN DATABASE %I', current_user, current_database()) AS role")
    )[0]?.role;
    await database.pool.query(`ALTER ROLE ${role} SET search_path TO public, "My schema"`);
    await changeDialectViews(database.pool, true);
    expect(await searchPath()).toBe('public, "My schema", dialect');
    await changeDialectViews(database.pool, false);
    expect(await searchPath()).toBe('public, "My schema"');
  });

  test('stand in the way of no later migration, and are there after it', async () => {
    await changeDialectViews(database.pool, true);
    await migrateWith(`
      ALTER TABLE crawl_jobs ALTER COLUMN priority TYPE integer, ALTER COLUMN retry_count TYPE integer;
      ALTER TABLE intakes ALTER COLUMN title TYPE varchar;
      DROP TABLE IF EXISTS never`);
    for (const view of dialectViewNames) expect(await asked(`SELECT * FROM ${view}`)).toEqual([]);
    const [type] = await asked(
      `SELECT pg_typeof(priority)::text AS type FROM (VALUES (1)) one LEFT JOIN crawl_job ON true`,
    );
    expect(type).toEqual({ type: 'integer' });
  });

  test('are made by no migration where nobody asked for them', async () => {
    await migrateWith('CREATE TABLE later (n int)');
    expect(await isThere('scrape_jobs')).toBe(false);
  });

  test('are not removed from under what somebody has built on them', async () => {
    await changeDialectViews(database.pool, true);
    await database.pool.query('CREATE VIEW mine AS SELECT id FROM dialect.scrape_jobs');
    await expect(changeDialectViews(database.pool, false)).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringContaining('view mine depends on view dialect.scrape_jobs'),
    });
    expect(await isThere('scrape_jobs')).toBe(true);
  });

  test('say the statuses in the words of their documents', async () => {
    await changeDialectViews(database.pool, true);
    for (const kind of ['collect', 'visit'])
      await database.pool.query(
        `INSERT INTO crawl_jobs (kind, payload, status, worker_id, lease_expires_at, next_retry_at, completed_at)
         SELECT $1, '{"url": "https://example.com/"}', status, CASE status WHEN 'processing' THEN 'w' END,
           CASE status WHEN 'processing' THEN now() END, CASE status WHEN 'retryable' THEN now() END,
           CASE WHEN status IN ('completed', 'failed', 'cancelled', 'expired') THEN now() END
         FROM unnest(enum_range(NULL::job_status)) AS status`,
        [kind],
      );
    const words = async (view: string) => {
      const rows = await asked(
        `SELECT job.status AS ours, view.status AS theirs FROM ${view} view JOIN crawl_jobs job USING (id) ORDER BY job.status`,
      );
      return Object.fromEntries(rows.map(({ ours, theirs }) => [ours, theirs]));
    };
    const same = Object.fromEntries(jobStatuses.map((status) => [status, status]));
    expect(await words('scrape_jobs')).toEqual({ ...same, processing: 'running', completed: 'succeeded' });
    expect(await words('crawl_job')).toEqual({
      ...same,
      processing: 'locked',
      completed: 'done',
      retryable: 'pending',
    });
  });

  test('are for reading', async () => {
    await changeDialectViews(database.pool, true);
    await database.pool.query(
      `INSERT INTO crawl_jobs (kind, payload) VALUES ('collect', '{}'), ('crawl', '{}');
       INSERT INTO intakes (title) VALUES ('coin');
       INSERT INTO crawl_policies (kind, url) VALUES ('crawl', 'https://example.com/');
       INSERT INTO crawl_results (job_id, user_id, url, actor) SELECT id, 'local', 'x', 'y' FROM crawl_jobs LIMIT 1`,
    );
    for (const view of dialectViewNames)
      for (const text of [
        `UPDATE ${view} SET id = id`,
        `DELETE FROM ${view}`,
        `INSERT INTO ${view} (id) VALUES (uuid_v7())`,
      ]) {
        if (text.startsWith('INSERT INTO scrape_jobs')) continue;
        await expect(asked(text), text).rejects.toMatchObject({ message: `the view ${view} is read-only` });
      }
  });
});
