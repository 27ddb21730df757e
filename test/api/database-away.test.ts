import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiError, type CreatedJob, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { type Server, startServer } from '../../packages/server/src/api/start-server.ts';
import { type Database, openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { createKey } from '../../packages/server/src/queue/access/keys.ts';

vi.setConfig({ testTimeout: 120_000 });
const log = pino({ level: 'silent' });
let folder: string | undefined;
let own: Database | undefined;
let used: Database | undefined;
let server: Server | undefined;
afterEach(async () => {
  await server?.close();
  await used?.close();
  await own?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('while the database is stopped every call answers 503 with Retry-After, and when it is back, as before', async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-away-'));
  const dataFolder = join(folder, 'data');
  const embedded = { databaseUrl: undefined, dataFolder, databasePort: 0 };
  const startDatabase = () => openDatabase(embedded, log, { embeddedSettings: { fsync: 'off' } });
  own = await startDatabase();
  // As with a server of one's own: nobody here starts it again.
  const configuration = readConfiguration({ DATABASE_URL: own.url, HOLDFAST_PORT: '0' });
  used = await openDatabase(configuration, log);
  server = await startServer(configuration, used, log);
  const { address } = server;
  const { secret } = await createKey(used.pool, { name: 'test', scopes: ['admin'] });
  const authorization = `Bearer ${secret}`;
  const list = () => fetch(`${address}/api/v1/jobs`, { headers: { authorization } });
  const create = () =>
    fetch(`${address}/api/v1/jobs`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'over the outage' },
      body: JSON.stringify({ kind: 'crawl', payload: { url: 'https://example.com/' } }),
    });
  expect((await list()).status).toBe(200);
  const first = await create();

  await own.close();
  for (const call of [list, create, list]) {
    const away = await call();
    expect([away.status, ((await away.json()) as ApiError).error.code]).toEqual([
      503,
      'database_unavailable',
    ]);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const health = await fetch(`${address}/health`);
  expect([health.status, ((await health.json()) as { ready: boolean }).ready]).toEqual([503, false]);
  const ready = await fetch(`${address}/ready`);
  expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reason: 'database' }]);
  expect((await fetch(`${address}/livez`)).status).toBe(200);

  own = await startDatabase();
  await vi.waitUntil(async () => (await list()).status === 200, { timeout: 20_000, interval: 50 });
  await vi.waitUntil(async () => (await fetch(`${address}/readyz`)).ok, { timeout: 20_000, interval: 50 });
  const again = await create();
  expect([again.status, ((await again.json()) as CreatedJob).id]).toEqual([
    200,
    ((await first.json()) as CreatedJob).id,
  ]);
});

test('connections that the database ends in the middle of work cost an answer, never the server', async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-away-'));
  own = await openDatabase(
    { databaseUrl: undefined, dataFolder: join(folder, 'data'), databasePort: 0 },
    log,
    {
      embeddedSettings: { fsync: 'off' },
    },
  );
  const configuration = readConfiguration({ DATABASE_URL: own.url, HOLDFAST_PORT: '0' });
  used = await openDatabase(configuration, log);
  server = await startServer(configuration, used, log);
  const { address } = server;
  const { secret } = await createKey(used.pool, { name: 'test', scopes: ['admin'] });
  const list = async () =>
    (await fetch(`${address}/api/v1/jobs`, { headers: { authorization: `Bearer ${secret}` } })).status;
  const statuses = new Set<number>();
  for (let round = 0; round < 20; round++) {
    const asked = Array.from({ length: 20 }, list);
    await own.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast api'`,
    );
    for (const status of await Promise.all(asked)) statuses.add(status);
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  await vi.waitUntil(async () => (await list()) === 200, { timeout: 20_000, interval: 50 });
});
