import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../../../../test/database-fixture/create-test-database.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import {
  addIntake,
  addSource,
  collectOnce,
  emptyCollection,
  enqueue,
  openCollection,
  pointsOf,
  TestRunner,
} from './testing/collect-fixture.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let site: LocalSite;
let database: TestDatabase;
let runner: TestRunner;
let answer: Answer;
const runners: TestRunner[] = [];

beforeAll(async () => {
  database = await openCollection();
  site = await startSite((request, response) => answer(request, response));
});
afterAll(async () => {
  await site.close();
  await database.drop();
});
beforeEach(async () => {
  await emptyCollection(database);
  site.requests.length = 0;
  runner = open();
});
afterEach(async () => {
  await Promise.all(runners.splice(0).map((one) => one.close()));
});

function open(configuration: ConstructorParameters<typeof TestRunner>[1] = {}): TestRunner {
  const opened = new TestRunner(database, { allowPrivate: [site.origin], ...configuration });
  runners.push(opened);
  return opened;
}

const json =
  (value: unknown): Answer =>
  (_request, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(typeof value === 'string' ? value : JSON.stringify(value));

const fields = { price: 'price', currency: 'currency', title: 'title', external_id: 'id' };
const api = (more: object = {}) => ({
  adapter_type: 'json' as const,
  config: { url: `${site.origin}/search?q={query}&year={year}`, items: 'items', fields, ...more },
});

describe('a JSON adapter', () => {
  test('asks for the item, and keeps what it is told to the last digit', async () => {
    answer = json(
      '{"items": [{"id": 7, "price": 0.30000000000000004, "currency": "usd", "title": "1881-S Morgan Dollar"}, {"id": "b", "price": "1,250.50 $", "title": "Morgan dollar 1881 O", "x": 1.10}]}',
    );
    await addSource(database, 'shop', api({ currency: 'USD', region: 'US' }));
    const job = await collectOnce(database, runner, await addIntake(database));
    expect(job).toMatchObject({ status: 'completed', error_code: null, source_id: 'shop' });
    expect(site.requests).toEqual(['GET /search?q=Morgan%20Dollar%201881%20S&year=1881']);
    expect(await pointsOf(database)).toMatchObject([
      { price: '0.30000000000000004', currency: 'USD', dedupe_key: 'ext_7', match_strength: '1.000' },
      { price: '1250.50', currency: 'USD', dedupe_key: 'ext_b', match_strength: '0.000' },
    ]);
    const { rows } = await database.pool.query('SELECT raw::text FROM price_points ORDER BY dedupe_key');
    expect(rows[1].raw).toContain('1.10');
  });

  test('goes from page to page, by number or by link, and no further than allowed', async () => {
    answer = (request, response) => {
      const page = Number(new URL(request.url ?? '', site.origin).searchParams.get('page') ?? '0');
      json({ items: [{ id: page, price: '5', currency: 'EUR' }], next: `/search?page=${page + 1}` })(
        request,
        response,
      );
    };
    const intake = await addIntake(database);
    await addSource(database, 'shop', api({ paging: { parameter: 'page', start: 1 }, max_pages: 3 }));
    await collectOnce(database, runner, intake);
    await addSource(database, 'shop', api({ paging: { next: 'next' }, max_pages: 2 }));
    await collectOnce(database, runner, intake);
    expect(site.requests.map((request) => /page=(\d+)/.exec(request)?.[1])).toEqual([
      '1',
      '2',
      '3',
      undefined,
      '1',
    ]);
    expect((await pointsOf(database)).map(({ dedupe_key }) => dedupe_key)).toEqual([
      'ext_0',
      'ext_1',
      'ext_2',
      'ext_3',
    ]);
  });

  test('sends the secrets that its headers name, and nothing that is not a secret for adapters', async () => {
    process.env.HOLDFAST_SECRET_SHOP = 'key-1';
    const seen: unknown[] = [];
    answer = (request, response) => {
      seen.push(request.headers['x-key']);
      json({ items: [] })(request, response);
    };
    const intake = await addIntake(database);
    await addSource(database, 'shop', api({ headers: { 'X-Key': 'v1 {env:HOLDFAST_SECRET_SHOP}' } }));
    expect(await collectOnce(database, runner, intake)).toMatchObject({ status: 'completed' });
    expect(seen).toEqual(['v1 key-1']);
    await expect(
      addSource(database, 'shop', api({ headers: { 'X-Key': '{env:DATABASE_URL}' } })),
    ).rejects.toThrow(/placeholders/);
    await expect(
      addSource(database, 'shop', api({ headers: { 'X-Key': '{env:HOLDFAST_SECRET_KEY}' } })),
    ).rejects.toThrow(/placeholders/);
    await addSource(database, 'shop', api({ headers: { 'X-Key': '{env:HOLDFAST_SECRET_GONE}' } }));
    expect(await collectOnce(database, runner, intake)).toMatchObject({
      status: 'failed',
      error_code: 'adapter_secret_missing',
    });
    expect(seen).toHaveLength(1);
  });

  test('does not send its headers to another place that it is sent to', async () => {
    process.env.HOLDFAST_SECRET_SHOP = 'key-1';
    const seen: unknown[] = [];
    const other = await startSite((request, response) => {
      seen.push(request.headers['x-key']);
      json({ items: [{ id: 1, price: '5', currency: 'EUR' }] })(request, response);
    });
    answer = (_request, response) => response.writeHead(302, { location: `${other.origin}/elsewhere` }).end();
    await addSource(database, 'shop', api({ headers: { 'X-Key': '{env:HOLDFAST_SECRET_SHOP}' } }));
    const following = open({ allowPrivate: [site.origin, other.origin] });
    await collectOnce(database, following, await addIntake(database));
    await other.close();
    expect(seen).toEqual([undefined]);
  });
});

describe('an HTML adapter', () => {
  const shop = (more: object = {}) => ({
    adapter_type: 'html' as const,
    config: {
      url: `${site.origin}/list/{year}`,
      item: 'li.lot',
      fields: { price: '.price', title: 'a', url: 'a@href', external_id: '@data-id', date: 'time@datetime' },
      price_type: 'sold',
      region: 'DE',
      ...more,
    },
  });

  test('reads listings with selectors, and prices as people write them', async () => {
    answer = (request, response) => {
      if (request.url === '/robots.txt') return response.writeHead(404).end();
      const next = request.url === '/list/1881' ? '<a class="next" href="?p=2">more</a>' : '';
      const id = next ? 'a' : 'b';
      return response.setHeader('content-type', 'text/html').end(
        `<ul><li class="lot" data-id="${id}"><a href="/lot/${id}">1881-S Morgan  Dollar</a> <b class="price">1.234,50 €</b>
          <time datetime="2024-05-01"></time></li><li class="ad">5 €</li></ul>${next}`,
      );
    };
    await addSource(database, 'shop', shop({ next: 'a.next@href', max_pages: 5 }));
    expect(await collectOnce(database, runner, await addIntake(database))).toMatchObject({
      status: 'completed',
    });
    const { rows } = await database.pool.query(
      'SELECT price::text, currency, price_type, listing_url, listing_title, listing_date FROM price_points ORDER BY dedupe_key',
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      price: '1234.50',
      currency: 'EUR',
      price_type: 'sold',
      listing_url: `${site.origin}/lot/a`,
      listing_title: '1881-S Morgan Dollar',
    });
    expect(rows[0].listing_date.toISOString()).toBe('2024-05-01T00:00:00.000Z');
  });

  test('stays out of what robots.txt forbids', async () => {
    answer = (_request, response) => response.end('User-agent: *\nDisallow: /list');
    await addSource(database, 'shop', shop());
    expect(await collectOnce(database, runner, await addIntake(database))).toMatchObject({
      status: 'failed',
      error_code: 'robots_disallowed',
    });
    expect(site.requests).toEqual(['GET /robots.txt']);
  });

  test('is refused with selectors that nobody can read', async () => {
    await expect(addSource(database, 'shop', shop({ item: 'li[' }))).rejects.toThrow(/config.item/);
  });
});

describe('a source that does not answer as it should', () => {
  test.each<[string, Answer, object]>([
    ['429', (_, response) => response.writeHead(429, { 'retry-after': '1' }).end(), { status: 'retryable', error_code: 'rate_limited', retry_count: 1 }],
    ['500', (_, response) => response.writeHead(500).end(), { status: 'retryable', error_code: 'site_error', retry_count: 1 }],
    ['with a closed connection', (request) => request.socket.destroy(), { status: 'retryable', error_code: 'connection_failed' }],
    ['404', (_, response) => response.writeHead(404).end(), { status: 'failed', error_code: 'source_refused' }],
    ['garbage', (_, response) => response.end('<html>maintenance</html>'), { status: 'failed', error_code: 'answer_invalid' }],
    ['half an answer', (_, response) => response.end('{"items": [{"price": "5"'), { status: 'failed', error_code: 'answer_invalid' }],
    ['a list that is none', (_, response) => response.end('{"items": 5}'), { status: 'failed', error_code: 'answer_invalid' }],
    ['listings without prices', (_, response) => response.end('{"items": [{"cost": "5"}]}'), { status: 'failed', error_code: 'answer_invalid' }],
    ['nothing at all', (_, response) => response.end(), { status: 'failed', error_code: 'answer_invalid' }],
  ])('%s: its job ends with a clear code, and others go on', async (_name, bad, expected) => {
    const good = await startSite(json({ items: [{ id: 1, price: '5', currency: 'EUR' }] }));
    answer = bad;
    await addSource(database, 'bad', api());
    await addSource(database, 'good', {
      adapter_type: 'json',
      config: { url: `${good.origin}/`, items: 'items', fields },
    });
    const both = open({ allowPrivate: [site.origin, good.origin] });
    await enqueue(database, await addIntake(database));
    await both.runReady();
    const { rows } = await database.pool.query(
      'SELECT source_id, status, error_code, retry_count FROM crawl_jobs ORDER BY source_id',
    );
    await good.close();
    expect(rows[0]).toMatchObject({ source_id: 'bad', ...expected });
    expect(rows[1]).toMatchObject({ source_id: 'good', status: 'completed' });
    expect(await pointsOf(database)).toHaveLength(1);
  }); // biome-ignore format: a table

  test('five times in a row is paused for all workers, across restarts, and its work waits without burning retries', async () => {
    answer = (_request, response) => response.writeHead(503).end();
    await addSource(database, 'shop', { ...api(), concurrency: 1 });
    const intakes = [];
    for (let n = 0; n < 5; n++) intakes.push(await addIntake(database, { title: `coin ${n}` }));
    await enqueue(database, ...intakes);
    await runner.runReady();
    // With its end a runner has written what it saw of sources.
    await runner.close();
    const { rows: source } = await database.pool.query(
      "SELECT pause_reason, paused_until > now() + interval '4 min' AS paused FROM sources WHERE id = 'shop'",
    );
    expect(source[0]).toEqual({ pause_reason: 'failures', paused: true });
    const asked = site.requests.length;
    const restarted = open();
    const [job] = await enqueue(database, await addIntake(database, { title: 'one more' }));
    await restarted.runReady();
    const { rows } = await database.pool.query(
      'SELECT status, retry_count, run_at > now() AS waits FROM crawl_jobs WHERE id = $1',
      [job?.id],
    );
    expect(rows[0]).toEqual({ status: 'pending', retry_count: 0, waits: true });
    expect(site.requests).toHaveLength(asked);
  });
});

describe('the cache', () => {
  const one = json({ items: [{ id: 1, price: '5', currency: 'EUR' }] });

  test('answers a second worker, and after a restart, until the answer is too old', async () => {
    answer = one;
    await addSource(database, 'shop', api());
    const [first, twin] = [await addIntake(database), await addIntake(database)];
    await collectOnce(database, runner, first);
    await collectOnce(database, open(), twin);
    expect(site.requests).toHaveLength(1);
    expect(await pointsOf(database)).toHaveLength(2);
    await database.pool.query("UPDATE adapter_cache SET expires_at = now() - interval '1 s'");
    await collectOnce(database, open(), twin);
    expect(site.requests).toHaveLength(2);
  });

  test('lasts as long as it is configured to', async () => {
    answer = one;
    await addSource(database, 'shop', api());
    await collectOnce(database, open({ cacheTtlSeconds: 77 }), await addIntake(database));
    const { rows } = await database.pool.query(
      'SELECT extract(epoch FROM expires_at - stored_at)::int AS life, key FROM adapter_cache',
    );
    expect(rows).toEqual([{ life: 77, key: 'shop|1881|s|dollar||morgan dollar' }]);
  });

  test('keeps no empty answer, and nothing at all when it is turned off', async () => {
    answer = json({ items: [] });
    await addSource(database, 'shop', api());
    const intake = await addIntake(database);
    for (let n = 0; n < 2; n++)
      expect(await collectOnce(database, runner, intake)).toMatchObject({ status: 'completed' });
    expect(site.requests).toHaveLength(2);
    answer = one;
    const without = open({ cacheEnabled: false });
    for (let n = 0; n < 2; n++) await collectOnce(database, without, intake);
    expect(site.requests).toHaveLength(4);
    expect((await database.pool.query('SELECT FROM adapter_cache')).rowCount).toBe(0);
  });

  test('does not answer for another configuration', async () => {
    answer = json({ items: [{ id: 1, price: '5', old: '9', currency: 'EUR' }] });
    const intake = await addIntake(database);
    await addSource(database, 'shop', api());
    await collectOnce(database, runner, intake);
    await addSource(database, 'shop', api({ fields: { ...fields, price: 'old', external_id: 'none' } }));
    await collectOnce(database, runner, intake);
    expect((await pointsOf(database)).map(({ price }) => price).sort()).toEqual(['5', '9']);
  });
});
