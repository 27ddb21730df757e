import { readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../test/database-fixture/create-test-database.ts';
import { type LocalSite, startSite } from '../web/fetch/testing/local-site.ts';
import { GovernedFetcher } from './governed-fetcher.ts';

let database: TestDatabase;
let site: LocalSite;
let fetcher: GovernedFetcher;
const asked: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  site = await startSite((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow: /private');
    else if (request.url === '/moved') response.writeHead(302, { location: '/page' }).end();
    else response.end('a page');
  });
  fetcher = new GovernedFetcher({
    pool: database.pool,
    log: pino({ level: 'silent' }),
    configuration: { ...readConfiguration({}), allowPrivate: [site.origin] },
  });
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  await fetcher.close();
  await site.close();
  await database.drop();
});

/** The lease is looked at twice for each request: when it is admitted, and right before it leaves. */
const leaseOver = (look: number) => {
  let looks = 0;
  return () => (++looks < look ? Number.POSITIVE_INFINITY : 0);
};

const fetch = (path: string, leaseEnds: () => number, obeysRobots = false) =>
  fetcher.fetch(
    { url: `${site.origin}${path}` },
    { leaseEnds, signal: AbortSignal.timeout(20_000), maxHops: 5, obeysRobots },
  );

describe('a request on behalf of a lease', () => {
  test('is not made once the lease is over', async () => {
    await expect(fetch('/page', leaseOver(1))).rejects.toMatchObject({ code: 'lease_lost' });
    expect(asked).toEqual([]);
  });

  test('is not made when the lease ends between its admission and its leaving', async () => {
    await expect(fetch('/page', leaseOver(2))).rejects.toMatchObject({ code: 'lease_lost' });
    expect(asked).toEqual([]);
  });

  test('does not follow a redirect beyond the lease', async () => {
    await expect(fetch('/moved', leaseOver(4))).rejects.toMatchObject({ code: 'lease_lost' });
    expect(asked).toEqual(['/moved']);
  });

  test('is made, and follows redirects, within the lease', async () => {
    const { status } = await fetch('/moved', leaseOver(5));
    expect(status).toBe(200);
    expect(asked).toEqual(['/moved', '/page']);
  });

  test('does not even ask for robots.txt once the lease is over', async () => {
    await expect(fetch('/page', () => 0, true)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(asked).toEqual([]);
  });

  test('asks for robots.txt within the lease, and keeps to it', async () => {
    expect((await fetch('/page', leaseOver(Number.POSITIVE_INFINITY), true)).status).toBe(200);
    expect(asked).toEqual(['/robots.txt', '/page']);
    await expect(fetch('/private', leaseOver(Number.POSITIVE_INFINITY), true)).rejects.toMatchObject({
      code: 'robots_disallowed',
    });
  });
});
