import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { enqueueJobs } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { listEvents, showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { createPolicy } from '../../packages/server/src/queue/policies/create-policy.ts';
import { killProcess, WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

const product = (price: string) => `<!doctype html><title>Kettle</title><h1>Kettle</h1>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Kettle","sku":"K-1",
"offers":{"@type":"Offer","price":"${price}","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script>`;

/** A shop: /p/<price> sells, /hold/<n> answers when it is let go, and other paths fail in their own way. */
class Shop {
  readonly asked: string[] = [];
  readonly #held: (() => void)[] = [];
  readonly #server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    this.asked.push(path);
    const answer = () => {
      response.setHeader('content-type', 'text/html');
      const [, kind, price = '19.99'] = path.split('/');
      if (kind === 'robots.txt') return response.writeHead(200).end('User-agent: *\nDisallow: /secret');
      if (kind === 'p' || kind === 'hold') return response.end(product(price));
      if (kind === 'moved') return response.writeHead(302, { location: '/p/5.00' }).end();
      if (kind === 'busy') return response.writeHead(503, { 'retry-after': '120' }).end();
      if (kind === 'about') return response.end('<title>About us</title><p>We sell kettles.</p>');
      return response.writeHead(404).end();
    };
    if (path.startsWith('/hold/')) this.#held.push(answer);
    else answer();
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get holding(): number {
    return this.#held.length;
  }

  letGo(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let shop: Shop;
let database: TestDatabase;
let worker: WorkerProcess;
beforeAll(async () => {
  shop = new Shop();
  await shop.start();
});
afterAll(() => shop.stop());
beforeEach(async () => {
  database = await createTestDatabase();
  worker = new WorkerProcess(database.url, { HOLDFAST_ALLOW_PRIVATE: shop.origin });
});
afterEach(async () => {
  shop.letGo();
  await worker.end('SIGKILL');
  await database.drop();
});

async function visit(...paths: string[]): Promise<string[]> {
  const made = await enqueueJobs(
    database.pool,
    paths.map((path) => ({ kind: 'visit', payload: { url: shop.origin + path }, max_retries: 1 })),
  );
  return made.map(({ job }) => job.id);
}

async function ended(id: string | undefined) {
  return await vi.waitUntil(
    async () => {
      const job = await showJob(database.pool, id ?? '');
      return ['pending', 'processing'].includes(job.status) ? undefined : job;
    },
    { timeout: 40_000, interval: 50 },
  );
}

const results = async () =>
  (await database.pool.query('SELECT job_id, price, currency, title, in_stock, actor FROM crawl_results'))
    .rows;

describe('the built-in bot', { timeout: 90_000 }, () => {
  test('brings back the price of a product page, exactly, through a redirect too', async () => {
    const [first, second] = await visit('/p/1234.50', '/moved');
    expect(await ended(first)).toMatchObject({ status: 'completed' });
    expect(await ended(second)).toMatchObject({ status: 'completed' });
    const found = await results();
    expect(found.find((row) => row.job_id === first)).toMatchObject({
      price: '1234.50',
      currency: 'EUR',
      title: 'Kettle',
      in_stock: true,
    });
    expect(found.find((row) => row.job_id === second)).toMatchObject({ price: '5.00' });
  });

  test('fails what can never work, and tries again later what may', async () => {
    const [gone, about, secret, busy] = await visit('/nothing', '/about', '/secret/p', '/busy');
    expect(await ended(gone)).toMatchObject({ status: 'failed', error_code: 'page_refused' });
    expect(await ended(about)).toMatchObject({ status: 'failed', error_code: 'product_not_found' });
    expect(await ended(secret)).toMatchObject({ status: 'failed', error_code: 'robots_disallowed' });
    const later = await ended(busy);
    expect(later).toMatchObject({ status: 'retryable', error_code: 'site_error', retry_count: 1 });
    expect(later?.next_retry_at?.getTime()).toBeGreaterThan(Date.now() + 100_000);
    expect(shop.asked).not.toContain('/secret/p');
    expect(await results()).toEqual([]);
  });

  test('visits that shared a runner when it died are all done again, and none burns a retry', async () => {
    const ids = await visit('/hold/1.00', '/hold/2.00', '/hold/3.00');
    await vi.waitUntil(() => shop.holding === 3, { timeout: 40_000 });
    const runner = worker.lines.findLast(({ msg }) => msg === 'Started a pooled runner')?.runner;
    killProcess(runner);
    // Each runs alone now, two at a time.
    await vi.waitUntil(() => shop.holding === 5, { timeout: 40_000 });
    shop.letGo();
    await vi.waitUntil(() => shop.holding === 1, { timeout: 40_000 });
    shop.letGo();
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'completed', retry_count: 0 });
    expect((await results()).map(({ price }) => price).sort()).toEqual(['1.00', '2.00', '3.00']);
  });

  test('a cancel ends a visit under way, and a stopping worker hands its visits back', async () => {
    const [cancelled, kept] = await visit('/hold/1.00', '/hold/2.00');
    await vi.waitUntil(() => shop.holding >= 2, { timeout: 40_000 });
    await database.pool.query(
      `UPDATE crawl_jobs SET requested_action = 'cancel', event_count = event_count + 1 WHERE id = $1`,
      [cancelled],
    );
    expect(await ended(cancelled)).toMatchObject({ status: 'cancelled' });
    await worker.end('SIGTERM');
    expect(await showJob(database.pool, kept ?? '')).toMatchObject({ status: 'pending', retry_count: 0 });
  });

  test('a visit whose supervisor was killed is given back, and says so', async () => {
    const [held] = await visit('/hold/1.00');
    await vi.waitUntil(() => shop.holding === 1, { timeout: 40_000 });
    await worker.end('SIGKILL');
    await vi.waitUntil(async () => (await showJob(database.pool, held ?? '')).status === 'pending', {
      timeout: 40_000,
    });
    const { transition, reason } = (await listEvents(database.pool, held ?? '')).at(-1) ?? {};
    expect([transition, reason]).toEqual(['release', 'the supervisor is gone']);
  });

  test('the success of a policy’s visit decides when it runs next', async () => {
    const policy = await createPolicy(database.pool, {
      kind: 'visit',
      url: `${shop.origin}/p/7.00`,
      frequency_hours: 2,
    });
    await vi.waitUntil(async () => (await results()).length === 1, { timeout: 40_000 });
    const { rows } = await database.pool.query(
      'SELECT next_run_at - last_success_at AS pause, failure_count FROM crawl_policies WHERE id = $1',
      [policy.id],
    );
    expect(rows[0]).toMatchObject({ pause: { hours: 2 }, failure_count: 0 });
  });
});
