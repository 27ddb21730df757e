import { afterEach, describe, expect, test, vi } from 'vitest';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';
import { killProcess, WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase } from '../database-fixture/create-test-database.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Requested and not yet committed: the requests under way, and one batch of the checkpoint. */
const concurrency = 16;
const inFlightAtMost = concurrency + 50;

/** The plan of deaths below is gone through twice, in the full tests four times. */
const [pageCount, killCount] = process.env.HOLDFAST_TEST_FULL === '1' ? [1000, 20] : [500, 10];

describe(`a crawl of ${pageCount} pages`, () => {
  test(`survives ${killCount} kills -9 of runner, supervisor and everything, and stores every page exactly once`, async () => {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const site = await TestSite.start({ pages: pageCount, delayMs: 25 });
    cleanups.push(() => site.stop());
    const startWorker = () => new WorkerProcess(database.url, { HOLDFAST_ALLOW_PRIVATE: site.origin });
    let worker = startWorker();
    cleanups.push(() => worker.end('SIGKILL'));
    const { job } = await enqueueJob(database.pool, {
      kind: 'crawl',
      payload: { url: `${site.origin}/`, concurrency },
    });
    await new Notifier(database.pool).notify('work');

    const plan = ['runner', 'supervisor', 'runner', 'everything', 'runner'] as const;
    const storedPaths = async () => {
      const { rows } = await database.pool.query<{ url: string }>('SELECT url FROM crawl_pages');
      return new Set(rows.map(({ url }) => url.slice(site.origin.length)));
    };
    let mayBeRefetched = 0;
    let kills = 0;
    for (; kills < killCount; kills++) {
      const before = site.requests.length;
      // Somewhere among the next requests, so that work is under way.
      const after = before + 10 + ((kills * 7919) % 37);
      await vi.waitUntil(() => site.requests.length > after, { timeout: 20_000, interval: 1 });
      const target = plan[kills % plan.length];
      const runner = worker.runnerPid;
      const stored = await storedPaths();
      if (target !== 'supervisor') killProcess(runner);
      const inFlight = [...site.counts.keys()].filter((path) => !stored.has(path)).length;
      expect(inFlight).toBeLessThanOrEqual(inFlightAtMost);
      mayBeRefetched += inFlight;
      if (target === 'runner') continue;
      await worker.end('SIGKILL');
      worker = startWorker();
    }
    await vi.waitUntil(async () => (await showJob(database.pool, job.id)).status === 'completed', {
      timeout: 60_000,
      interval: 50,
    });

    await checkInvariants(database.pool, job.id);
    const { rows } = await database.pool.query('SELECT url FROM crawl_pages WHERE outcome = $1', ['fetched']);
    expect(new Set(rows.map(({ url }) => url)).size).toBe(pageCount);
    expect(rows).toHaveLength(pageCount);
    const refetched = [...site.counts.values()].reduce((sum, count) => sum + count - 1, 0);
    expect(refetched).toBeLessThanOrEqual(mayBeRefetched);
  }, 120_000);
});
