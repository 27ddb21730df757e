import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createPool } from '../../packages/server/src/base/database/create-pool.ts';
import { run, statement } from '../../packages/server/src/base/database/statement.ts';
import { awaitUp } from '../command-line/await-up.ts';
import { runHoldfast, startHoldfast } from '../command-line/run-holdfast.ts';
import { startTreeSite } from '../command-line/tree-site.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { findProgram } from './find-program.ts';
import { type PgBouncer, startPgBouncer } from './start-pgbouncer.ts';

const program = findProgram('pgbouncer');
if (!program) console.warn('pgbouncer is not installed: what is promised about it is not tested here');

let database: TestDatabase;
let pgbouncer: PgBouncer;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-pooled-'));
beforeAll(async () => {
  if (!program) return;
  database = await createTestDatabase({ migrated: false });
  pgbouncer = await startPgBouncer(program, database.url);
});
afterAll(async () => {
  await pgbouncer?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(program)('named statements reach whichever connection the pooler gives them', async () => {
  const pool = createPool({ connectionString: pgbouncer.url }, pino({ level: 'silent' }), { max: 8 });
  const pidStatement = statement<{ pid: number; twice: number }>(
    'pid-of-backend',
    'SELECT pg_backend_pid() AS pid, $1::int * 2 AS twice FROM pg_sleep(0.005)',
  );
  const rows = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => ({ n, row: (await run(pool, pidStatement, [n]))[0] })),
  );
  await pool.end();
  expect(rows.filter(({ n, row }) => row?.twice !== 2 * n)).toEqual([]);
  expect(new Set(rows.map(({ row }) => row?.pid)).size).toBeGreaterThan(1);
});

test.runIf(program)(
  'migrations, API, worker and a crawl work through it, and nothing stays in its connections',
  {
    timeout: 60_000,
  },
  async () => {
    const site = await startTreeSite(40);
    const env = {
      DATABASE_URL: pgbouncer.url,
      HOLDFAST_ALLOW_PRIVATE: site.origin,
      HOLDFAST_LOG_FORMAT: 'json',
    };
    const up = startHoldfast(['up', '--port', '0'], env, folder);
    let said = '';
    up.stderr?.on('data', (data) => {
      said += data;
    });
    try {
      const { address, found: key } = await awaitUp(up, /(hf_\S+)/);
      const authorization = `Bearer ${key}`;
      const created = await fetch(`${address}/api/v1/jobs`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'crawl', payload: { url: `${site.origin}/` } }),
      });
      expect(created.status).toBe(201);
      const { id } = (await created.json()) as { id: string };
      const job = async () =>
        await (await fetch(`${address}/api/v1/jobs/${id}`, { headers: { authorization } })).json();
      await vi.waitFor(async () => expect(await job(), said).toMatchObject({ status: 'completed' }), {
        timeout: 40_000,
        interval: 200,
      });
      const { rows } = await database.pool.query(
        `SELECT count(*) AS pages FROM crawl_pages WHERE job_id = $1 AND status = 200`,
        [id],
      );
      expect(rows).toEqual([{ pages: 40 }]);
      const { stdout } = await runHoldfast(['doctor', '--invariants', '--json'], env, folder);
      const checks = JSON.parse(stdout) as { check: string; state: string }[];
      // The server of the tests writes without fsync, which is a problem of its own.
      expect(checks.filter(({ check, state }) => check !== 'durability' && state !== 'ok')).toEqual([]);
      expect(checks.filter(({ check }) => check.startsWith('invariant')).length).toBeGreaterThan(5);
    } finally {
      up.kill('SIGTERM');
      await once(up, 'exit');
      await site.close();
    }
    // What a client leaves in a session, the next one finds there.
    const pool = createPool({ connectionString: pgbouncer.url }, pino({ level: 'silent' }), { max: 4 });
    const left = await Promise.all(
      Array.from({ length: 4 }, () =>
        pool.query(`SELECT (SELECT count(*) FROM pg_prepared_statements) AS prepared,
        (SELECT count(*) FROM pg_listening_channels()) AS channels, current_setting('statement_timeout') AS timeout,
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks FROM pg_sleep(0.02)`),
      ),
    );
    await pool.end();
    for (const { rows } of left) expect(rows).toEqual([{ prepared: 0, channels: 0, timeout: '0', locks: 0 }]);
    expect(said).not.toMatch(/prepared statement|"level":50/);
  },
);
