import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JobKind, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { openDatabase } from '../../base/database/open-database.ts';
import { InFlightFile } from '../../crawl/run/in-flight-file.ts';
import { enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { hasLiveWorker, listWorkers } from '../../queue/workers/worker-list.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import { Supervisor } from './supervisor.ts';

const product = `<title>Kettle</title><script type="application/ld+json">{"@context":"https://schema.org",
"@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"19.99","priceCurrency":"EUR"}}</script>`;
const runnerProgram = fileURLToPath(new URL('../../../dist/runner.js', import.meta.url));
const configuration = readConfiguration({ HOLDFAST_POLL_SECONDS: '0.1' });
let database: TestDatabase;
let site: LocalSite;
let folder: string;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  database = await createTestDatabase();
  site = await startSite((_, response) => response.setHeader('content-type', 'text/html').end(product));
  vi.stubEnv('HOLDFAST_ALLOW_PRIVATE', site.origin);
  vi.stubEnv('HOLDFAST_LOG_LEVEL', 'silent');
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await site.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(workerId: string, program: string): Promise<Supervisor> {
  const log = pino({ level: 'silent' });
  const opened = await openDatabase({ databaseUrl: database.url, dataFolder: '', databasePort: 0 }, log, {
    migrate: false,
  });
  ends.push(() => opened.close());
  const supervisor = new Supervisor({
    configuration,
    database: opened,
    log,
    workerId,
    runnerProgram: program,
  });
  ends.push(() => supervisor.drain());
  await supervisor.start();
  return supervisor;
}

/** A runner whose first line throws. */
function throwing(): string {
  const program = join(folder, 'runner.mjs');
  writeFileSync(program, "throw new Error('ENOSPC: no space left on device');");
  return program;
}

async function enqueue(kind: JobKind, count = 1): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, n) => ({
    kind: kind as 'crawl',
    payload: { url: `${site.origin}/${n}`, ...(kind === 'crawl' && { discover: false }) },
    max_retries: 0,
  }));
  return (await enqueueJobs(database.pool, requests)).map(({ job }) => job.id);
}

const job = (id: string | undefined) => showJob(database.pool, id ?? '');
const events = async (id: string | undefined) =>
  (await listEvents(database.pool, id ?? '')).map(({ transition }) => transition);
const worker = async (id: string) =>
  (await listWorkers(database.pool, configuration)).find((one) => one.id === id);
const until = (isSo: () => Promise<boolean>) => vi.waitUntil(isSo, { timeout: 60_000, interval: 20 });
const isSick = (id: string) => until(async () => (await worker(id))?.state === 'sick');

const ills: [string, () => string][] = [
  ['its program is missing', () => join(folder, 'missing.js')],
  ['its program throws', throwing],
  [
    'Node does not know its options',
    () => {
      vi.stubEnv('NODE_OPTIONS', '--no-such-option');
      return runnerProgram;
    },
  ],
];

describe('a worker whose runners die at once', { timeout: 120_000 }, () => {
  describe.each(ills)('because %s', (_, program) => {
    test.each(['crawl', 'visit'] as const)('releases a %s, stops claiming and says why', async (kind) => {
      await start('w1', program());
      const [id] = await enqueue(kind);
      await isSick('w1');
      expect(await hasLiveWorker(database.pool, configuration)).toBe(false);
      expect((await worker('w1'))?.trouble).toMatch(/^\d+ runners in a row died before their first request/);
      const { status, retry_count } = await job(id);
      // It may be trying it once more.
      expect(['pending', 'processing']).toContain(status);
      expect(retry_count).toBe(0);
      expect((await events(id)).slice(0, 3)).toEqual(['enqueue', 'claim', 'failStart']);
    });
  });

  test('says what Node said when it died', async () => {
    await start('w1', throwing());
    await enqueue('crawl');
    await isSick('w1');
    expect((await worker('w1'))?.trouble).toMatch(/exit code 1: Error: ENOSPC: no space left on device$/);
  });

  test('gives a job back as it was when there is no process at all, however often', async () => {
    await start('w1', 'no\0program');
    const [id] = await enqueue('crawl');
    await isSick('w1');
    expect(await job(id)).toMatchObject({ retry_count: 0, error_code: null });
    expect(new Set((await events(id)).slice(1))).toEqual(new Set(['claim', 'release']));
  });

  test('is well again when it is mended, and does the job', async () => {
    const program = throwing();
    await start('w1', program);
    const [id] = await enqueue('crawl');
    await isSick('w1');
    rmSync(program);
    symlinkSync(runnerProgram, program);
    await until(async () => (await job(id)).status === 'completed');
    expect(await job(id)).toMatchObject({ retry_count: 0, error_code: null });
    await until(async () => (await worker('w1'))?.state === 'alive');
    expect((await worker('w1'))?.trouble).toBeNull();
  });

  test('fails none of the jobs that a healthy one beside it can do', async () => {
    await start('sick', throwing());
    const ids = [...(await enqueue('crawl', 12)), ...(await enqueue('visit', 12))];
    await until(async () => (await events(ids[0])).includes('failStart'));
    await start('well', runnerProgram);
    await until(async () => {
      const { rowCount } = await database.pool.query(
        "SELECT FROM crawl_jobs WHERE status NOT IN ('completed', 'failed')",
      );
      return rowCount === 0;
    });
    for (const id of ids) expect(await job(id)).toMatchObject({ status: 'completed', retry_count: 0 });
  });

  test('is left alone with a job that dies five times on it, which then fails', async () => {
    await start('w1', throwing());
    const [id] = await enqueue('crawl');
    await until(async () => (await job(id)).status === 'failed');
    expect(await job(id)).toMatchObject({ error_code: 'runner_crashed', retry_count: 0 });
    expect((await events(id)).filter((transition) => transition === 'failStart')).toHaveLength(5);
  });
});

test('a temporary folder that is full, or not there, disturbs no job', async () => {
  vi.stubEnv('TMPDIR', '/dev/null/full');
  vi.spyOn(InFlightFile, 'open').mockImplementation(() => undefined);
  await start('w1', runnerProgram);
  const ids = [...(await enqueue('crawl')), ...(await enqueue('visit'))];
  await until(async () => (await Promise.all(ids.map(job))).every(({ status }) => status === 'completed'));
  for (const id of ids) expect(await events(id)).toEqual(['enqueue', 'claim', 'complete']);
}, 120_000);
