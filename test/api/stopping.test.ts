import { once } from 'node:events';
import { connect } from 'node:net';
import { type ApiJob, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { startServer } from '../../packages/server/src/api/start-server.ts';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { createKey } from '../../packages/server/src/queue/access/keys.ts';
import { claimJobs } from '../../packages/server/src/queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { createTestDatabase } from '../database-fixture/create-test-database.ts';
import { crawlLane } from '../queue-fixture/queue-fixture.ts';

vi.setConfig({ testTimeout: 120_000 });
const log = pino({ level: 'silent' });

test('a server that stops answers what is under way, takes nothing new, and waits for no idle connection', async () => {
  const testDatabase = await createTestDatabase();
  const configuration = readConfiguration({ DATABASE_URL: testDatabase.url, HOLDFAST_PORT: '0' });
  const database = await openDatabase(configuration, log, { migrate: false });
  const server = await startServer(configuration, database, log);
  const { secret } = await createKey(database.pool, { name: 'test', scopes: ['admin'] });
  await enqueueJob(database.pool, { kind: 'crawl', payload: { url: 'https://example.com/' } });
  const [held] = await claimJobs(database.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
  const silent = connect(Number(new URL(server.address).port), '127.0.0.1');
  await once(silent, 'connect');

  // Waits two seconds for a holder that does not answer.
  const pausing = fetch(`${server.address}/api/v1/jobs/${held?.id}/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
  });
  await vi.waitUntil(
    async () =>
      (await database.pool.query('SELECT requested_action FROM crawl_jobs')).rows[0].requested_action,
    { timeout: 20_000, interval: 5 },
  );
  const silence = once(silent, 'close');
  const since = performance.now();
  await server.close();
  expect(performance.now() - since).toBeLessThan(9_000);
  await silence;
  const answer = await pausing;
  expect([answer.status, ((await answer.json()) as ApiJob).requested_action]).toEqual([202, 'pause']);
  await expect(fetch(`${server.address}/health`)).rejects.toThrow();
  await database.close();
  await testDatabase.drop();
});
