import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { type LocalSite, startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';

const program = await browserForTests();

const offer = (price: string) =>
  JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Kettle',
    offers: { '@type': 'Offer', price, priceCurrency: 'EUR' },
  });
const declared = (price: string) => `<script type="application/ld+json">${offer(price)}</script>`;
const pages: Record<string, string> = {
  '/app': `<title>Shop</title><body><div id="root"></div><script>
    fetch('/price').then((answer) => answer.text()).then((offer) => {
      const data = document.createElement('script');
      data.type = 'application/ld+json';
      data.text = offer;
      document.body.append(data);
    });</script>`,
  '/away': `<title>Shop</title><script>location.replace('/app')</script>`,
  '/plain': `<title>Kettle</title><h1>Kettle</h1>${declared('12.00')}<script>document.body.textContent = ''</script>`,
  '/none': '<title>About</title><p>Nothing is sold here.</p><script>1</script>',
};

let database: TestDatabase;
let site: LocalSite;
let worker: WorkerProcess | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
  site = await startSite((request, response) => {
    const path = request.url ?? '';
    const page = pages[path];
    if (path === '/price') response.setHeader('content-type', 'application/json').end(offer('9.99'));
    else if (page) response.setHeader('content-type', 'text/html').end(page);
    else response.writeHead(404).end();
  });
});
afterEach(() => worker?.end('SIGTERM'));
afterAll(async () => {
  await site.close();
  await database.drop();
});

function startWorker(env: Record<string, string> = {}): void {
  worker = new WorkerProcess(database.url, { HOLDFAST_ALLOW_PRIVATE: site.origin, ...env });
}

async function visited(path: string, options: object = {}) {
  const payload = { url: `${site.origin}${path}`, ...options };
  const { job } = await enqueueJob(database.pool, { kind: 'visit', payload, max_retries: 0 });
  const ended = await vi.waitUntil(
    async () => {
      const now = await showJob(database.pool, job.id);
      return ['pending', 'processing'].includes(now.status) ? undefined : now;
    },
    { timeout: 60_000, interval: 50 },
  );
  const { rows } = await database.pool.query<{ price: string; rendered: boolean | null }>(
    `SELECT price::text, (parsed_data -> 'rendered')::boolean AS rendered FROM crawl_results WHERE job_id = $1`,
    [job.id],
  );
  return { status: ended.status, error: ended.error_code, message: ended.error_message, ...rows[0] };
}

describe.skipIf(!program)('a visit of a shop that needs JavaScript', { timeout: 120_000 }, () => {
  test('finds the price that a script brings, also behind a redirect by script', async () => {
    startWorker();
    const found = { status: 'completed', price: '9.99', rendered: true };
    expect(await visited('/app')).toMatchObject(found);
    expect(await visited('/away')).toMatchObject(found);
  });

  test('takes a price that is there already without a browser, and says what it did', async () => {
    startWorker();
    expect(await visited('/plain')).toMatchObject({ status: 'completed', price: '12.00', rendered: null });
    expect(await visited('/app', { render: 'never' })).toMatchObject({ error: 'product_not_found' });
    expect(await visited('/none')).toMatchObject({ error: 'product_not_found' });
    const actions = [{ type: 'wait', selector: '#never', optional: true }];
    expect(await visited('/app', { actions })).toMatchObject({ price: '9.99', rendered: true });
  });
});

test('a visit without a browser says that the page may need one, and how to get it', {
  timeout: 60_000,
}, async () => {
  startWorker({ HOLDFAST_BROWSER: '/nonexistent/chromium' });
  expect(await visited('/app')).toMatchObject({
    error: 'product_not_found',
    message: expect.stringContaining('there is no browser here'),
  });
  expect(await visited('/plain')).toMatchObject({ status: 'completed' });
  expect(await visited('/plain', { render: 'always' })).toMatchObject({ error: 'browser_unavailable' });
});
