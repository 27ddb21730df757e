import { readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../../../../../test/database-fixture/create-test-database.ts';
import { GovernedFetcher } from '../../../governor/governed-fetcher.ts';
import { forbiddenUrls } from '../../../web/fetch/testing/forbidden-urls.ts';
import { type LocalSite, startSite } from '../../../web/fetch/testing/local-site.ts';
import { trapSockets } from '../../../web/fetch/testing/socket-trap.ts';
import { openCollection } from '../testing/collect-fixture.ts';
import { AccessTokens } from './access-tokens.ts';
import type { AdapterContext } from './adapter.ts';
import { askSource } from './ask-source.ts';

let database: TestDatabase;
let fetcher: GovernedFetcher;
let site: LocalSite;
let target = '';
beforeAll(async () => {
  database = await openCollection();
  site = await startSite((request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (request.url === '/redirect')
      response.writeHead(302, { location: Buffer.from(target).toString('latin1') }).end();
    else
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ items: [{ price: '5' }], next: target }));
  });
  const configuration = { ...readConfiguration({}), allowPrivate: [site.origin] };
  fetcher = new GovernedFetcher({ pool: database.pool, log: pino({ level: 'silent' }), configuration });
});
afterAll(async () => {
  await fetcher.close();
  await site.close();
  await database.drop();
});

const context = (): AdapterContext => ({
  sourceId: 'shop',
  fetcher,
  tokens: new AccessTokens(),
  secrets: { HOLDFAST_SECRET_X: 'x' },
  folder: undefined,
  moduleProgram: '',
  log: pino({ level: 'silent' }),
  leaseEnds: () => Number.POSITIVE_INFINITY,
  signal: AbortSignal.timeout(20_000),
});

const fields = { price: 'price' };
const json = (config: object) => ({
  adapter_type: 'json',
  config: { items: 'items', fields, currency: 'USD', ...config },
});

/** Where a place may stand in the configuration of an adapter, or in what a source answers. */
const positions: Readonly<Record<string, (url: string) => Parameters<typeof askSource>[0]>> = {
  'the URL of a JSON adapter': (url) => json({ url }),
  'the URL of an HTML adapter': (url) => ({
    adapter_type: 'html',
    config: { url, item: 'li', fields: { price: 'b' } },
  }),
  'the URL of tokens': (url) =>
    json({
      url: `${site.origin}/`,
      oauth: { token_url: url, client_id: 'me', client_secret: '{env:HOLDFAST_SECRET_X}' },
    }),
  'a redirect': () => json({ url: `${site.origin}/redirect` }),
  'the next page': () => json({ url: `${site.origin}/`, paging: { next: 'next' }, max_pages: 2 }),
};

describe.each(Object.entries(positions))('as %s', (_name, position) => {
  test.each(forbiddenUrls)('%s is refused before anything connects', async (url) => {
    target = url;
    const trap = trapSockets([site.port, Number(new URL(database.url).port)]);
    try {
      await expect((async () => askSource(position(url), { title: 'x' }, context()))()).rejects.toThrow(
        /address|URL|another origin|not configured well/,
      );
      expect(trap.opened).toEqual([]);
    } finally {
      trap.release();
    }
  });
});

test('what an item says cannot move a request to another place', async () => {
  const evil = { title: '@127.0.0.1/../..', host: 'evil.example', path: '..' };
  const asked: string[] = [];
  const spying = {
    ...context(),
    fetcher: {
      fetch: async ({ url }: { url: string }) => {
        asked.push(url);
        throw new Error('stop');
      },
    },
  } as unknown as AdapterContext;
  const ask = async (url: string) => askSource(json({ url }), evil, spying).catch(() => {});
  await ask('https://api.example/a/{title}?q={title}#{title}');
  await ask('https://api.example/a/{path}/b');
  expect(asked).toEqual([
    'https://api.example/a/%40127.0.0.1%2F..%2F..?q=%40127.0.0.1%2F..%2F..#%40127.0.0.1%2F..%2F..',
    'https://api.example/a//b',
  ]);
  for (const url of [
    'https://{host}/',
    'https://api.example{host}/',
    'https://x:{host}/',
    '{host}',
    'file:///etc/{path}',
  ])
    expect(() => askSource(json({ url }), evil, spying)).toThrow(/placeholders only after its host/);
});
