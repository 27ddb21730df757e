import { rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { openDatabase } from '../../base/database/open-database.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJob, enqueueJobs } from '../../queue/jobs/enqueue-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import { Notifier } from '../../queue/jobs/notifications.ts';
import { pauseJobs } from '../../queue/jobs/pause-jobs.ts';
import { hasLiveWorker, listWorkers } from '../../queue/workers/worker-list.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import { SilentWorkers } from './dead-workers.ts';
import { RunnerPool } from './runner-pool.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

const log = pino({ level: 'silent' });
const runnerProgram = fileURLToPath(new URL('../../../dist/runner.js', import.meta.url));
let database: TestDatabase;
let site: LocalSite;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  site = await startSite((_, response) =>
    response.setHeader('content-type', 'text/html').end('<p>Here.</p>'),
  );
  vi.stubEnv('HOLDFAST_ALLOW_PRIVATE', site.origin);
  vi.stubEnv('HOLDFAST_LOG_LEVEL', 'silent');
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await site.close();
  await database.drop();
});

/** `url`: where the supervisor believes the database to be, for its runners. */
async function supervisorWith(
  program: string,
  url: () => string,
  options: Pick<SupervisorOptions, 'onlyJob'> = {},
): Promise<Supervisor> {
  const opened = await openDatabase({ databaseUrl: database.url, dataFolder: '', databasePort: 0 }, log, {
    migrate: false,
  });
  ends.push(() => opened.close());
  const supervisor = new Supervisor({
    configuration: readConfiguration({ HOLDFAST_POLL_SECONDS: '0.1', HOLDFAST_HEARTBEAT_SECONDS: '1' }),
    database: Object.create(opened, { url: { get: url } }),
    log,
    workerId: 'w1',
    runnerProgram: program,
    ...options,
  });
  ends.push(() => supervisor.drain());
  return supervisor;
}

async function enqueue(): Promise<string> {
  const payload = { url: `${site.origin}/`, discover: false };
  return (await enqueueJob(database.pool, { kind: 'crawl', payload })).job.id;
}

const transitions = async (id: string) =>
  (await listEvents(database.pool, id)).map(({ transition }) => transition);

describe('a supervisor', () => {
  test('hands a job back when the system lets it start no process, and burns no retry', async () => {
    // Thrown by fork itself, as a system without memory does.
    const supervisor = await supervisorWith('no\0program', () => database.url);
    await supervisor.start();
    const id = await enqueue();
    await vi.waitUntil(async () => (await transitions(id)).includes('release'), { timeout: 20_000 });
    expect(await showJob(database.pool, id)).toMatchObject({
      status: 'pending',
      retry_count: 0,
      // Another worker may have it at once; this one waits.
      run_at: null,
    });
    expect(await transitions(id)).toEqual(['enqueue', 'claim', 'release']);
    expect(supervisor.runningJobs).toBe(0);
  });

  test('fails jobs that SQL made with a bad payload at once, says what is wrong, and is not taken for sick', async () => {
    const supervisor = await supervisorWith(runnerProgram, () => database.url);
    await supervisor.start();
    const { rows } = await database.pool.query<{ id: string; found: string }>(
      `INSERT INTO crawl_jobs (kind, payload) VALUES ('crawl', '{}'), ('crawl', '{"url": "ftp://example.com/"}'),
         ('crawl', '{"url": "https://example.com/", "include": ["/(/"]}'), ('crawl', '{"url": "https://example.com/", "max_depth": "deep"}'),
         ('visit', '{"url": 5}'), ('collect', '{"intake_id": "none"}')
       RETURNING id`,
    );
    const ended = async () => Promise.all(rows.map(async ({ id }) => showJob(database.pool, id)));
    await vi.waitUntil(async () => (await ended()).every(({ status }) => status === 'failed'), {
      timeout: 30_000,
    });
    const jobs = await ended();
    expect(jobs.map(({ error_code, retry_count }) => [error_code, retry_count])).toEqual(
      rows.map(() => ['payload_invalid', 0]),
    );
    for (const [index, word] of [
      'payload.url',
      'payload.url',
      'payload.include',
      'payload.max_depth',
      'payload.url',
      'intake_id',
    ].entries())
      expect(jobs[index]?.error_message).toContain(word);
    for (const { id } of jobs) expect(await transitions(id)).toEqual(['enqueue', 'claim', 'fail']);
    expect(await listWorkers(database.pool, { heartbeatSeconds: 1 })).toMatchObject([{ trouble: null }]);
    // What is right is done, whether SQL or the API made it.
    await database.pool.query('INSERT INTO crawl_jobs (payload, priority) VALUES ($1, 1)', [
      { url: `${site.origin}/`, discover: false },
    ]);
    const right = async () =>
      (await database.pool.query('SELECT status FROM crawl_jobs WHERE priority = 1')).rows[0].status;
    await vi.waitUntil(async () => (await right()) === 'completed', { timeout: 30_000 });
  });

  test.for([1, 3])('hands %i visits back that it was claiming as it was told to stop', async (count) => {
    const supervisor = await supervisorWith(runnerProgram, () => database.url);
    const visits = Array.from({ length: count }, (_, index) => ({
      kind: 'visit' as const,
      payload: { url: `${site.origin}/${index}` },
      max_retries: 0,
    }));
    const ids = (await enqueueJobs(database.pool, visits)).map(({ job }) => job.id);
    // It cannot see whether they are suspects before its pool was told to stop.
    const client = await database.pool.connect();
    await client.query('BEGIN; LOCK TABLE crawl_suspects');
    const told = vi.spyOn(RunnerPool.prototype, 'drain');
    // The first claim is under way when it has started.
    await supervisor.start();
    const drained = supervisor.drain();
    await vi.waitUntil(() => told.mock.calls.length > 0, { timeout: 20_000 });
    await client.query('COMMIT');
    client.release();
    await drained;
    for (const id of ids) {
      expect(await showJob(database.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
      expect(await transitions(id)).toEqual(['enqueue', 'claim', 'release']);
    }
    expect((await database.pool.query('SELECT FROM crawl_suspects')).rowCount).toBe(0);
    expect(supervisor.runningJobs).toBe(0);
  });

  describe('whose runner takes for ever to start', () => {
    const slowProgram = join(tmpdir(), `holdfast-slow-runner-${process.pid}.mjs`);
    beforeAll(() => writeFileSync(slowProgram, 'setInterval(() => {}, 1_000);'));
    afterAll(() => rmSync(slowProgram, { force: true }));

    async function claimed(): Promise<{ supervisor: Supervisor; id: string }> {
      const supervisor = await supervisorWith(slowProgram, () => database.url);
      await supervisor.start();
      const id = await enqueue();
      await vi.waitUntil(async () => (await transitions(id)).includes('claim'), { timeout: 20_000 });
      await vi.waitUntil(() => supervisor.runningJobs === 1);
      return { supervisor, id };
    }

    test('acknowledges a pause all the same, and burns no retry', async () => {
      const { id } = await claimed();
      await pauseJobs(database.pool, [id], 'user:ann');
      await new Notifier(database.pool).notify('request');
      await vi.waitUntil(async () => (await showJob(database.pool, id)).status === 'paused', {
        timeout: 20_000,
      });
      expect(await showJob(database.pool, id)).toMatchObject({ retry_count: 0, error_code: null });
      expect((await listEvents(database.pool, id)).at(-1)?.reason).toBe('paused before it began');
    });

    test('gives its job back when it stops, and burns no retry', async () => {
      const { supervisor, id } = await claimed();
      await supervisor.drain();
      expect(await showJob(database.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
      expect(await transitions(id)).toEqual(['enqueue', 'claim', 'release']);
    });
  });

  test('tries a crawl of a private address that it may not reach once, whoever else may not, and leaves it ready for who may', async () => {
    const supervisor = await supervisorWith(runnerProgram, () => database.url);
    const secret = { url: 'http://10.0.0.1/', needs_private: ['http://10.0.0.1'] };
    const { id } = (await enqueueJob(database.pool, { kind: 'crawl', payload: secret, priority: 5 })).job;
    await supervisor.start();
    await vi.waitUntil(async () => (await transitions(id)).includes('release'), { timeout: 20_000 });
    // It claims others meanwhile, though this one comes first.
    const other = await enqueue();
    await vi.waitUntil(async () => (await showJob(database.pool, other)).status === 'completed', {
      timeout: 40_000,
    });
    expect(await transitions(id)).toEqual(['enqueue', 'claim', 'release']);
    expect(await showJob(database.pool, id)).toMatchObject({
      status: 'pending',
      retry_count: 0,
      run_at: null,
      waits_for: ['http://10.0.0.1'],
    });
    expect((await listEvents(database.pool, id)).at(-1)?.reason).toBe(
      'this worker may not fetch http://10.0.0.1 (HOLDFAST_ALLOW_PRIVATE)',
    );
  }, 90_000);

  test('takes over from a worker of its host name that it cannot see, when two heartbeats of it do not come', async () => {
    const id = await enqueue();
    const crawls = { kind: 'crawl' as const, executor: 'builtin' as const, leaseSeconds: 3_600 };
    await claimJobs(database.pool, { lanes: [crawls], limit: 1, workerId: 'other' });
    await database.pool.query(
      `INSERT INTO workers (id, host, machine_id, boot_id, pid, process_start, version, max_jobs, heartbeat_seconds)
       VALUES ('other', $1, 'another', 'another 1', 1, '1', '1', 1, 1)`,
      [hostname()],
    );
    await (await supervisorWith(runnerProgram, () => database.url)).start();
    await vi.waitUntil(async () => (await showJob(database.pool, id)).status === 'completed', {
      timeout: 40_000,
    });
    expect(await transitions(id)).toEqual(['enqueue', 'claim', 'recover', 'claim', 'complete']);
  }, 60_000);

  test('takes its own failed heartbeats for no silence of others', async () => {
    const missed = vi.spyOn(SilentWorkers.prototype, 'missed');
    const beaten = vi.spyOn(SilentWorkers.prototype, 'beat');
    await (await supervisorWith(runnerProgram, () => database.url)).start();
    await vi.waitUntil(() => beaten.mock.calls.length > 0, { timeout: 20_000 });
    expect(missed).not.toHaveBeenCalled();
    await database.pool.query('ALTER TABLE workers RENAME TO out_of_reach');
    await vi.waitUntil(() => missed.mock.calls.length > 0, { timeout: 20_000 });
    await database.pool.query('ALTER TABLE out_of_reach RENAME TO workers');
  });

  test('that is there for one job alone is listed, but not counted on by those who wait for a worker', async () => {
    const configuration = readConfiguration({});
    const onlyJob = await enqueue();
    const oneShot = await supervisorWith(runnerProgram, () => database.url, { onlyJob });
    await oneShot.start();
    expect(await listWorkers(database.pool, configuration)).toMatchObject([{ id: 'w1', state: 'alive' }]);
    expect(await hasLiveWorker(database.pool, configuration)).toBe(false);
    await oneShot.drain();
    await (await supervisorWith(runnerProgram, () => database.url)).start();
    expect(await hasLiveWorker(database.pool, configuration)).toBe(true);
  });

  test('gives no job to a spare runner that looks for the database where it was', async () => {
    let url = 'postgresql://nobody@127.0.0.1:1/moved';
    const supervisor = await supervisorWith(runnerProgram, () => url);
    await supervisor.start();
    url = database.url;
    const id = await enqueue();
    await vi.waitUntil(async () => (await showJob(database.pool, id)).status === 'completed', {
      timeout: 20_000,
    });
    expect(await transitions(id)).toEqual(['enqueue', 'claim', 'complete']);
  });
});
