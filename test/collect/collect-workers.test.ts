import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  addIntake,
  addSource,
  enqueue,
} from '../../packages/server/src/shop/collect/testing/collect-fixture.ts';
import { findPriceDuplicates } from '../../packages/server/src/shop/collect/testing/find-price-duplicates.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { killProcess, WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

/** A shop that sells every coin at five prices; some of them twice, as shops do. */
let shop: LocalSite;
let database: TestDatabase;
let hold: (() => void)[] | undefined;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  shop = await startSite((request, response) => {
    const coin = new URL(request.url ?? '', 'http://shop').searchParams.get('q') ?? '';
    const items = [1, 2, 3, 4, 5, 5, 3].map((n) => ({
      id: n,
      price: `${10 + n}.10`,
      currency: 'USD',
      title: coin,
    }));
    const answer = () => response.end(JSON.stringify({ items }));
    if (hold) hold.push(answer);
    else answer();
  });
});
afterAll(() => shop.close());
beforeEach(async () => {
  database = await createTestDatabase();
  hold = undefined;
  for (const id of ['first', 'second'])
    await addSource(database, id, {
      adapter_type: 'json',
      config: {
        url: `${shop.origin}/${id}?q={title}`,
        items: 'items',
        fields: { price: 'price', currency: 'currency', title: 'title', external_id: 'id' },
      },
    });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.end('SIGKILL')));
  await database.drop();
});

function startWorker(): WorkerProcess {
  const worker = new WorkerProcess(database.url, {
    HOLDFAST_ALLOW_PRIVATE: shop.origin,
    JOB_LOCK_TIMEOUT_SECONDS: '20',
    HOLDFAST_SHARE_SECONDS: '1',
  });
  workers.push(worker);
  return worker;
}

const allCompleted = () =>
  vi.waitUntil(
    async () => {
      const { rows } = await database.pool.query(
        "SELECT count(*) FILTER (WHERE status = 'completed')::int AS done, count(*)::int AS all FROM crawl_jobs",
      );
      return rows[0].done === rows[0].all;
    },
    { timeout: 60_000, interval: 100 },
  );

const claims = async () =>
  (
    await database.pool.query(
      "SELECT max(claims)::int AS most, count(*)::int AS jobs FROM (SELECT count(*) AS claims FROM job_events WHERE transition = 'claim' GROUP BY job_id) of_job",
    )
  ).rows[0];

describe('collection by two workers', { timeout: 120_000 }, () => {
  test('runs each of twenty jobs once, and keeps no price twice', async () => {
    const intakes: string[] = [];
    for (let n = 0; n < 10; n++) intakes.push(await addIntake(database, { title: `coin ${n}` }));
    startWorker();
    startWorker();
    const jobs = await enqueue(database, ...intakes);
    expect(jobs).toHaveLength(20);
    await allCompleted();
    expect(await claims()).toEqual({ most: 1, jobs: 20 });
    expect(await findPriceDuplicates(database.pool)).toEqual([]);
    const { rows } = await database.pool.query(
      'SELECT (SELECT count(*)::int FROM price_points) AS points, count(*)::int AS valued, min(comparables) AS least, min(median)::text AS median FROM valuations',
    );
    expect(rows[0]).toEqual({ points: 100, valued: 10, least: 10, median: '13.10' });
  });

  test('goes on when the runner of one is killed: another does its work, and nothing is there twice', async () => {
    hold = [];
    const intake = await addIntake(database, { title: 'coin' });
    const worker = startWorker();
    await enqueue(database, intake);
    await vi.waitUntil(() => hold?.length === 2, { timeout: 60_000 });
    killProcess(worker.lines.findLast(({ msg }) => msg === 'Started a pooled runner')?.runner);
    hold = undefined;
    startWorker();
    await allCompleted();
    expect(await findPriceDuplicates(database.pool)).toEqual([]);
    const { rows } = await database.pool.query('SELECT comparables, sources FROM valuations');
    expect(rows).toEqual([{ comparables: 10, sources: 2 }]);
    expect((await database.pool.query('SELECT FROM crawl_jobs WHERE retry_count > 0')).rowCount).toBe(0);
  });
});
