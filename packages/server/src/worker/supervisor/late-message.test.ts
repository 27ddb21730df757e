import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../queue/jobs/find-jobs.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import { machineNow } from '../runner/messages.ts';
import { RunnerProcess } from './runner-process.ts';

const program = fileURLToPath(new URL('../../../dist/runner.js', import.meta.url));
let database: TestDatabase;
let site: LocalSite;

beforeAll(async () => {
  database = await createTestDatabase();
  site = await startSite((_, response) =>
    response.setHeader('content-type', 'text/html').end('<p>19.99 EUR'),
  );
});
afterAll(async () => {
  await site.close();
  await database.drop();
});

/** A runner that stands still while its job arrives, and goes on after `stillMs`. */
async function ranLate(leaseMs: number, stillMs: number) {
  await enqueueJob(database.pool, { kind: 'visit', payload: { url: `${site.origin}/` }, max_retries: 0 });
  const lanes = [{ kind: 'visit' as const, executor: 'builtin' as const, leaseSeconds: 120 }];
  const [job] = await claimJobs(database.pool, { lanes, limit: 1, workerId: 'w1' });
  if (!job) throw new Error('nothing to claim');
  site.requests.length = 0;
  let end = (_status: string) => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const runner = new RunnerProcess({
    program,
    databaseUrl: database.url,
    env: { ...process.env, WORKER_ID: 'w1', HOLDFAST_ALLOW_PRIVATE: site.origin },
    log: pino({ level: 'silent' }),
    memoryMb: 512,
    onPooledEnd: (_id, _fence, status) => end(status),
  });
  const pid = runner.pid as number;
  process.kill(pid, 'SIGSTOP');
  runner.runPooled(job, leaseMs);
  const goOnAt = machineNow() + stillMs;
  await vi.waitUntil(() => machineNow() > goOnAt, { timeout: 60_000, interval: 10 });
  process.kill(pid, 'SIGCONT');
  const status = await ended;
  runner.stop('drain');
  await runner.exited;
  return { status, job: await showJob(database.pool, job.id) };
}

test('a job that a runner reads after its lease makes no request, and does not fail', async () => {
  expect(await ranLate(300, 301)).toMatchObject({ status: 'lost', job: { status: 'processing' } });
  expect(site.requests).toEqual([]);
});

test('a job that a runner reads late, within its lease, is done', async () => {
  expect((await ranLate(120_000, 50)).status).not.toBe('lost');
  expect(site.requests.length).toBeGreaterThan(0);
});
