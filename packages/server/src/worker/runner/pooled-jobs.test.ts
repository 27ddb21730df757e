import { type JobKind, type JobRequest, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../../../../test/database-fixture/create-test-database.ts';
import { type LossyLine, lossyPool } from '../../base/database/testing/lossy-pool.ts';
import { claimJobs } from '../../queue/jobs/claim-jobs.ts';
import { enqueueJob } from '../../queue/jobs/enqueue-jobs.ts';
import { listEvents, showJob } from '../../queue/jobs/find-jobs.ts';
import {
  addIntake,
  addSource,
  emptyCollection,
  enqueue,
  openCollection,
  pointsOf,
} from '../../shop/collect/testing/collect-fixture.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import { PooledJobs } from './pooled-jobs.ts';

const product = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Kettle",
"offers":{"@type":"Offer","price":"9.99","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script>`;
const listings = { items: [{ id: 'a', price: '5', currency: 'EUR', title: '1881-S Morgan Dollar' }] };

let database: TestDatabase;
let site: LocalSite;
let onHeld: () => void;
let jobs: PooledJobs | undefined;

beforeAll(async () => {
  database = await openCollection();
  site = await startSite((request, response) => {
    const path = request.url ?? '';
    if (path === '/held') return onHeld();
    if (path === '/product') return response.setHeader('content-type', 'text/html').end(product);
    if (path === '/busy') return response.writeHead(503).end();
    if (path.startsWith('/search'))
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(listings));
    response.writeHead(404).end();
  });
});
afterAll(async () => {
  await site.close();
  await database.drop();
});
beforeEach(async () => {
  await emptyCollection(database);
  site.requests.length = 0;
});
afterEach(async () => {
  await jobs?.drain();
  jobs = undefined;
});

/** Runs the one job that is ready over a line that breaks, until its run has ended. */
async function runOver(line: LossyLine, kind: JobKind, underWay?: (id: string, fence: number) => void) {
  const leaseSeconds = 120;
  const lanes = [{ kind, executor: 'builtin' as const, leaseSeconds }];
  const [job] = await claimJobs(database.pool, { lanes, limit: 1, workerId: 'w1' });
  if (!job) throw new Error('nothing to claim');
  const status = await new Promise<string>((resolve) => {
    jobs = new PooledJobs({
      pool: line.pool,
      log: pino({ level: 'silent' }),
      configuration: { ...readConfiguration({ WORKER_ID: 'w1' }), allowPrivate: [site.origin] },
      moduleProgram: '',
      send: (message) => message.type === 'pooledEnded' && resolve(message.status),
    });
    onHeld = () => underWay?.(job.id, job.fence);
    jobs.start(job, leaseSeconds * 1000);
  });
  expect(line.breaks).toBe(1);
  const transitions = (await listEvents(database.pool, job.id)).map(({ transition }) => transition);
  return { status, transitions, job: await showJob(database.pool, job.id) };
}

async function visitOver(line: LossyLine, path: string, underWay?: (id: string, fence: number) => void) {
  const request: JobRequest = { kind: 'visit', payload: { url: site.origin + path }, max_retries: 3 };
  await enqueueJob(database.pool, request);
  return await runOver(line, 'visit', underWay);
}

const asked = (path: string) => site.requests.filter((request) => request.startsWith(`GET ${path}`)).length;

describe.each(['question', 'answer'] as const)('when the connection breaks and the %s is lost', (lost) => {
  const breakAt = (statement: string) => lossyPool(database.pool, statement, lost);

  test.each(['store-visit', 'COMMIT'])('a visit keeps its page: %s', async (statement) => {
    const { status, transitions, job } = await visitOver(breakAt(statement), '/product');
    expect([status, job.status, job.retry_count]).toEqual(['completed', 'completed', 0]);
    expect(transitions.toSorted()).toEqual(['claim', 'complete', 'enqueue']);
    expect(asked('/product')).toBe(1);
    const { rows } = await database.pool.query('SELECT price::text FROM crawl_results WHERE job_id = $1', [
      job.id,
    ]);
    expect(rows).toEqual([{ price: '9.99' }]);
  });

  test.each(['store-adapter-cache', 'store-price-points', 'COMMIT'])(
    'a collection keeps its prices: %s',
    async (statement) => {
      const fields = { price: 'price', currency: 'currency', title: 'title', external_id: 'id' };
      const config = { url: `${site.origin}/search?q={query}`, items: 'items', fields };
      await addSource(database, 'shop', { adapter_type: 'json', config });
      await enqueue(database, await addIntake(database));
      const { status, transitions, job } = await runOver(breakAt(statement), 'collect');
      expect([status, job.status, job.retry_count]).toEqual(['completed', 'completed', 0]);
      expect(transitions.toSorted()).toEqual(['claim', 'complete', 'enqueue']);
      expect(asked('/search')).toBe(1);
      expect(await pointsOf(database)).toMatchObject([{ dedupe_key: 'ext_a', price: '5' }]);
      const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM valuation_history');
      expect(rows).toEqual([{ count: 1 }]);
    },
  );

  test('a permanent failure is written down, once', async () => {
    const { transitions, job } = await visitOver(breakAt('fail'), '/gone');
    expect(job).toMatchObject({ status: 'failed', error_code: 'page_refused' });
    expect(transitions.toSorted()).toEqual(['claim', 'enqueue', 'fail']);
  });

  test('a passing failure burns one retry', async () => {
    const { transitions, job } = await visitOver(breakAt('retry-later'), '/busy');
    expect([job.status, job.retry_count]).toEqual(['retryable', 1]);
    expect(transitions.toSorted()).toEqual(['claim', 'enqueue', 'retryLater']);
  });

  test('a job whose run is stopped is handed back', async () => {
    const stop = (id: string, fence: number) => jobs?.stop(id, fence, 'drain');
    const { transitions, job } = await visitOver(breakAt('release'), '/held', stop);
    expect([job.status, job.retry_count]).toEqual(['pending', 0]);
    expect(transitions.toSorted()).toEqual(['claim', 'enqueue', 'release']);
  });
});
