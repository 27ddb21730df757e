import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { pauseJobs } from '../../packages/server/src/queue/jobs/pause-jobs.ts';
import { resumeJobs } from '../../packages/server/src/queue/jobs/resume-jobs.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';
import { killProcess, WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

const pages = 300;
let database: TestDatabase;
let site: TestSite;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  site = await TestSite.start({ pages, delayMs: 20 });
  startWorker();
  startWorker();
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  await site.stop();
  await database.drop();
});

function startWorker(): WorkerProcess {
  const worker = new WorkerProcess(database.url, {
    HOLDFAST_ALLOW_PRIVATE: site.origin,
    MAX_CONCURRENT_JOBS: '2',
  });
  workers.push(worker);
  return worker;
}

async function crawl(options: Record<string, unknown>): Promise<string> {
  const { job } = await enqueueJob(database.pool, {
    kind: 'crawl',
    payload: { url: `${site.origin}/`, concurrency: 4, ...options },
  });
  await new Notifier(database.pool).notify('work');
  return job.id;
}

async function fetchedOf(id: string): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT count(*)::int AS fetched FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched'`,
    [id],
  );
  return rows[0].fetched;
}

test('four runners of two workers share one crawl, and each page is fetched once', async () => {
  site.requests.length = 0;
  const id = await crawl({ shards: 4 });
  const holders = new Set<string>();
  await vi.waitUntil(
    async () => {
      const { rows } = await database.pool.query(
        'SELECT fence, worker_id FROM crawl_shards WHERE job_id = $1 AND worker_id IS NOT NULL',
        [id],
      );
      for (const { worker_id, fence } of rows) holders.add(`${worker_id} ${fence}`);
      return (await showJob(database.pool, id)).status === 'completed';
    },
    { timeout: 60_000, interval: 25 },
  );
  await checkInvariants(database.pool, id);
  expect(await fetchedOf(id)).toBe(pages);
  expect([...site.counts.values()].every((count) => count === 1)).toBe(true);
  expect(holders.size).toBeGreaterThanOrEqual(4);
  expect(new Set([...holders].map((name) => name.split(' ')[0])).size).toBe(2);
}, 90_000);

const statusOf = async (id: string) => (await showJob(database.pool, id)).status;
const completed = (id: string) =>
  vi.waitUntil(async () => (await statusOf(id)) === 'completed', { timeout: 90_000, interval: 25 });
const requestsReach = (count: number) =>
  vi.waitUntil(() => site.requests.length >= count, { timeout: 40_000, interval: 2 });

/** The process of a runner that works on the crawl. */
const runnerOf = (id: string, worker: WorkerProcess | undefined) =>
  worker?.lines.findLast(({ msg, job }) => msg === 'Running job' && job === id)?.runner;

test('deaths of runners and of a whole worker lose no page, and the page limit is reached exactly', async () => {
  site.requests.length = 0;
  const limit = 200;
  const id = await crawl({ shards: 3, max_pages: limit });
  for (const [kill, after] of [25, 60, 95, 130].entries()) {
    await requestsReach(after);
    if (kill === 2) {
      await workers.shift()?.end('SIGKILL');
      startWorker();
    } else {
      const pid = runnerOf(id, workers[kill % 2]);
      if (pid !== undefined) killProcess(pid);
    }
  }
  await completed(id);
  await checkInvariants(database.pool, id);
  expect(await fetchedOf(id)).toBe(limit);
  const { rows } = await database.pool.query(
    `SELECT count(*) FILTER (WHERE transition = 'complete')::int AS completions FROM job_events WHERE job_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ completions: 1 }]);
}, 180_000);

test('a pause stops all runners, and the crawl goes on where they stopped', async () => {
  site.requests.length = 0;
  const id = await crawl({ shards: 4 });
  await requestsReach(60);
  await pauseJobs(database.pool, [id], 'user:ann');
  await new Notifier(database.pool).notify('request');
  await vi.waitUntil(async () => (await statusOf(id)) === 'paused', { timeout: 30_000, interval: 2 });
  const asked = site.requests.length;
  await checkInvariants(database.pool, id);
  await resumeJobs(database.pool, [id], 'user:ann');
  expect(site.requests.length).toBe(asked);
  await new Notifier(database.pool).notify('work');
  await completed(id);
  await checkInvariants(database.pool, id);
  expect(await fetchedOf(id)).toBe(pages);
}, 180_000);
