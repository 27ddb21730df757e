import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleProgram } from '../../../../../../test/bundle-program.ts';
import type { TestDatabase } from '../../../../../../test/database-fixture/create-test-database.ts';
import { type LocalSite, startSite } from '../../../web/fetch/testing/local-site.ts';
import {
  addIntake,
  addSource,
  collectOnce,
  emptyCollection,
  enqueue,
  openCollection,
  pointsOf,
  TestRunner,
} from '../testing/collect-fixture.ts';

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));
let folder: string;
let site: LocalSite;
let database: TestDatabase;
let runner: TestRunner;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let moduleProgram: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adapters-'));
  moduleProgram = await bundleProgram('packages/server/src/shop/collect/adapters/module-program.ts');
  site = await startSite((request, response) => answer(request, response));
  database = await openCollection();
});
afterAll(async () => {
  await site.close();
  await database.drop();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  await emptyCollection(database);
  site.requests.length = 0;
  runner = new TestRunner(
    database,
    { allowPrivate: [site.origin], adapterFolder: folder, cacheEnabled: false },
    { moduleProgram },
  );
});
afterEach(() => runner.close());

/**
 * As https://developer.ebay.com/api-docs/buy/browse/resources/item_summary/methods/search and
 * https://developer.ebay.com/api-docs/static/oauth-client-credentials-grant.html have it.
 */
describe('the example for eBay', () => {
  let tokens: number;
  let valid: string;

  function ebay(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', site.origin);
    response.setHeader('content-type', 'application/json');
    if (url.pathname === '/identity/v1/oauth2/token') {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const form = new URLSearchParams(body);
        const isGood =
          request.method === 'POST' &&
          request.headers['content-type'] === 'application/x-www-form-urlencoded' &&
          request.headers.authorization ===
            `Basic ${Buffer.from('app-id:app%3Asecret').toString('base64')}` &&
          form.get('grant_type') === 'client_credentials' &&
          form.get('scope') === 'https://api.ebay.com/oauth/api_scope';
        if (!isGood) {
          response
            .writeHead(401)
            .end('{"error":"invalid_client","error_description":"client authentication failed"}');
          return;
        }
        valid = `v^1.1#${++tokens}`;
        response.end(
          JSON.stringify({ access_token: valid, expires_in: 7200, token_type: 'Application Access Token' }),
        );
      });
      return;
    }
    if (
      request.headers.authorization !== `Bearer ${valid}` ||
      request.headers['x-ebay-c-marketplace-id'] !== 'EBAY_US'
    ) {
      response
        .writeHead(401)
        .end(
          '{"errors":[{"errorId":1001,"domain":"OAuth","category":"REQUEST","message":"Invalid access token"}]}',
        );
      return;
    }
    const offset = Number(url.searchParams.get('offset') ?? '0');
    const search = `${site.origin}/buy/browse/v1/item_summary/search?q=${url.searchParams.get('q')}&limit=100`;
    const summary = (n: number, more: object) => ({
      itemId: `v1|11${n}|0`,
      title: '1881-S Morgan Silver Dollar MS-63',
      leafCategoryIds: ['39464'],
      condition: 'Certified',
      conditionId: '2000',
      itemWebUrl: `https://www.ebay.com/itm/11${n}?hash=item`,
      itemCreationDate: '2026-10-01T12:00:00.000Z',
      seller: { username: 's', feedbackPercentage: '99.9', feedbackScore: 100 },
      ...more,
    });
    const pages: object[] = [
      {
        itemSummaries: [
          summary(1, { price: { value: '119.99', currency: 'USD' }, buyingOptions: ['FIXED_PRICE'] }),
          summary(2, {
            currentBidPrice: { value: '80.00', currency: 'USD' },
            buyingOptions: ['AUCTION'],
            bidCount: 2,
          }),
        ],
        next: `${search}&offset=100`,
      },
      { itemSummaries: [summary(3, { price: { value: '131.50', currency: 'USD' } })], prev: search },
    ];
    response.end(JSON.stringify({ href: search, total: 3, limit: 100, offset, ...pages[offset / 100] }));
  }

  async function addEbay(): Promise<void> {
    const text = await readFile(join(root, 'examples/adapters/ebay-browse.json'), 'utf8');
    const settings = JSON.parse(
      text
        .replaceAll('https://api.ebay.com/buy', `${site.origin}/buy`)
        .replaceAll('https://api.ebay.com/identity', `${site.origin}/identity`),
    );
    // A test does not wait for eBay's limit.
    await addSource(database, 'ebay', { ...settings, rate_limit_per_minute: null });
  }

  beforeEach(() => {
    tokens = 0;
    answer = ebay;
    process.env.HOLDFAST_SECRET_EBAY_CLIENT_ID = 'app-id';
    process.env.HOLDFAST_SECRET_EBAY_CLIENT_SECRET = 'app:secret';
  });

  test('reads every page with one token, kept while it lives', async () => {
    await addEbay();
    const intake = await addIntake(database);
    expect(await collectOnce(database, runner, intake)).toMatchObject({
      status: 'completed',
      error_message: null,
    });
    expect(await pointsOf(database)).toMatchObject([
      { dedupe_key: 'ext_v1|111|0', price: '119.99', currency: 'USD', price_type: 'ask' },
      { dedupe_key: 'ext_v1|112|0', price: '80.00' },
      { dedupe_key: 'ext_v1|113|0', price: '131.50' },
    ]);
    expect(site.requests[0]).toBe('POST /identity/v1/oauth2/token');
    expect(site.requests[1]).toContain('/search?q=Morgan%20Dollar%201881%20S&limit=100');
    await enqueue(database, intake, await addIntake(database, { title: 'other' }));
    await runner.runReady();
    expect(tokens).toBe(1);
  });

  test('asks for another token when eBay does not take the old one any more', async () => {
    await addEbay();
    const intake = await addIntake(database);
    await collectOnce(database, runner, intake);
    valid = 'revoked';
    expect(await collectOnce(database, runner, intake)).toMatchObject({ status: 'completed' });
    expect(tokens).toBe(2);
  });

  test('says that the credentials are wrong, and shows none of them', async () => {
    process.env.HOLDFAST_SECRET_EBAY_CLIENT_SECRET = 'wrong-secret';
    await addEbay();
    const job = await collectOnce(database, runner, await addIntake(database));
    expect(job).toMatchObject({ status: 'failed', error_code: 'source_refused' });
    expect(JSON.stringify(job)).not.toContain('wrong-secret');
  });
});

describe('a module', () => {
  const source = (file: string, more: object = {}) =>
    addSource(database, 'own', {
      adapter_type: 'module',
      config: { file, timeout_seconds: 20, memory_mb: 32, options: { url: `${site.origin}/list` }, ...more },
    });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);

  test('of the examples asks through the governor, and its prices are kept', async () => {
    answer = (_request, response) =>
      response.end('1881 S Morgan Dollar; 125.50; USD; sold\nEagle; 30; USD; ask\n');
    await write('price-list.mjs', await readFile(join(root, 'examples/adapters/price-list.mjs'), 'utf8'));
    await source('price-list.mjs');
    expect(await collectOnce(database, runner, await addIntake(database))).toMatchObject({
      status: 'completed',
    });
    expect(await pointsOf(database)).toMatchObject([
      { price: '125.50', price_type: 'sold', currency: 'USD' },
    ]);
  });

  test.each([
    ['throws', `throw new Error('no luck')`, 'failed', 'adapter_failed', /no luck/],
    ['returns no list', 'return 5', 'failed', 'adapter_failed', /did not return an array/],
    ['returns a float', `return [{ price: 0.1 + 0.2, currency: 'USD' }]`, 'failed', 'adapter_failed', /is not a string/],
    ['ends its process', 'process.exit(3)', 'failed', 'adapter_failed', /exit code 3/],
    ['never ends', 'for (;;);', 'retryable', 'run_timed_out', /1 s/],
    ['takes all memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))', 'failed', 'adapter_failed', /more than 32 MB/],
    ['looks around', `return [{ price: '1', currency: 'USD', title: Object.keys(process.env).join() || 'nothing' }]`, 'completed', null, /^$/],
  ])('that %s ends its own job and nothing else', async (name, code, status, errorCode, message) => {
    const file = `${name.replaceAll(' ', '-')}.mjs`;
    await write(file, `export default async function collect(item, { fetch, options }) { ${code} }`);
    await source(file, code.startsWith('for') ? { timeout_seconds: 1 } : {});
    const job = await collectOnce(database, runner, await addIntake(database));
    expect(job).toMatchObject({ status, error_code: errorCode });
    expect(job.error_message ?? '').toMatch(message);
    if (status === 'completed') expect(await pointsOf(database)).toMatchObject([{ listing_title: 'nothing' }]);
  }, 60_000); // biome-ignore format: a table

  test('whose source is busy is tried again later', async () => {
    answer = (_request, response) => response.writeHead(503).end();
    await write(
      'busy.mjs',
      'export default async (item, { fetch, options }) => (await fetch(options.url)).json()',
    );
    await source('busy.mjs');
    expect(await collectOnce(database, runner, await addIntake(database))).toMatchObject({
      status: 'retryable',
      error_code: 'site_error',
    });
  });

  test('cannot reach what no adapter may reach, nor lie outside the folder', async () => {
    answer = (_request, response) => response.end();
    await write(
      'inside.mjs',
      `export default async (item, { fetch }) => (await fetch('http://169.254.169.254/')).json()`,
    );
    await source('inside.mjs');
    const intake = await addIntake(database);
    expect(await collectOnce(database, runner, intake)).toMatchObject({ error_code: 'address_forbidden' });
    await symlink('/etc/hostname', join(folder, 'outside.mjs'));
    await source('outside.mjs');
    expect(await collectOnce(database, runner, intake)).toMatchObject({
      status: 'failed',
      error_code: 'adapter_invalid',
    });
    for (const file of ['../x.mjs', '/etc/x.mjs', 'a/b.mjs', '..mjs'])
      await expect(source(file)).rejects.toThrow(/config.file/);
  });
});
