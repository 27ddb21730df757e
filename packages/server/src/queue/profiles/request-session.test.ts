import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TestSite } from '../../../../../test/crawl-fixture/test-site.ts';
import {
  createTestDatabase,
  type TestDatabase,
} from '../../../../../test/database-fixture/create-test-database.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { fetchFollowing } from '../../web/fetch/fetch-following.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { enqueueJob } from '../jobs/enqueue-jobs.ts';
import { createProfile, replaceProfile } from './profiles.ts';
import { RequestSession } from './request-session.ts';

const store = new SecretStore(
  new SecretKeys({ secretKey: [randomBytes(32).toString('base64')], dataFolder: '' }),
);
const seen: [path: string, headers: IncomingMessage['headers']][] = [];
let reply: (response: ServerResponse, path: string) => void;
const answer = (path: string, response: ServerResponse, { headers }: IncomingMessage) => {
  seen.push([path, headers]);
  reply(response, path);
  return true;
};
let database: TestDatabase;
let [site, other]: TestSite[] = [];
let fetcher: HttpFetcher;
beforeAll(async () => {
  database = await createTestDatabase();
  site = await TestSite.start({ pages: 0, answer });
  other = await TestSite.start({ pages: 0, answer });
  fetcher = new HttpFetcher({ allowOrigins: [site.origin, other.origin] });
});
afterAll(async () => {
  await fetcher.close();
  await site?.stop();
  await other?.stop();
  await database.drop();
});
afterEach(() => {
  seen.length = 0;
});

let made = 0;
async function opened(fields: object) {
  const name = `profile ${++made}`;
  const origins = [site?.origin ?? ''];
  const profile = { name, user_id: 'local', origins, ...fields };
  await createProfile(database.pool, store, profile);
  const { job } = await enqueueJob(database.pool, {
    kind: 'visit',
    payload: { url: 'https://example.com/', profile: name },
  });
  const open = () => RequestSession.open(database.pool, store, job.id, { profile: name });
  return { name, profile, open, session: await open() };
}
const ask = (session: RequestSession, path = '/') =>
  fetchFollowing(fetcher, { url: `${site?.origin}${path}` }, { maxHops: 5, session });
const cookieSent = async (session: RequestSession) => {
  await ask(session);
  return seen.at(-1)?.[1].cookie;
};
const cookie = (value: string) => ({ name: 'sid', value, domain: '127.0.0.1' });

describe('the requests of a visit with a profile', () => {
  test('carry it to its origins alone, whatever redirects there are', async () => {
    const { session } = await opened({ bearer_token: 'secret', cookies: [cookie('secret')] });
    reply = (response, path) =>
      path === '/' ? response.writeHead(302, { location: `${other?.origin}/there` }).end() : response.end();
    await ask(session);
    expect(seen.map(([path, headers]) => [path, headers.authorization, headers.cookie])).toEqual([
      ['/', 'Bearer secret', 'sid=secret'],
      ['/there', undefined, undefined],
    ]);
  });

  test('share a cookie that the site renews with all others, and keep the rest for themselves', async () => {
    const { session, open } = await opened({ cookies: [cookie('old')] });
    const another = await open();
    reply = (response) => response.setHeader('set-cookie', ['sid=new; Path=/', 'cart=1; Path=/']).end();
    await ask(session);
    reply = (response) => response.end();
    await ask(session);
    expect(seen.at(-1)?.[1].cookie).toBe('sid=new; cart=1');
    await ask(await open());
    expect(seen.at(-1)?.[1].cookie).toBe('sid=new');
    await expect.poll(() => cookieSent(another)).toBe('sid=new');
  });

  test('have what the owner gives the profile from the next request on', async () => {
    const { session, profile } = await opened({ cookies: [cookie('old')] });
    reply = (response) => response.end();
    await ask(session);
    await replaceProfile(database.pool, store, { ...profile, cookies: [cookie('given')] });
    await expect.poll(() => cookieSent(session)).toBe('sid=given');
  });

  test.each<[string, typeof reply]>([
    ['401', (response) => response.writeHead(401).end()],
    [
      'a page to sign in',
      (response) =>
        response
          .setHeader('content-type', 'text/html')
          .setHeader('set-cookie', 'sid=anonymous; Path=/')
          .end('<title>Sign in</title><form><input type=password></form>'),
    ],
  ])('end with sign_in_expired at %s, and keep the cookie that the profile has', async (_, answers) => {
    const { session, open } = await opened({ cookies: [cookie('mine')] });
    reply = answers;
    await expect(ask(session)).rejects.toMatchObject({ code: 'sign_in_expired' });
    reply = (response) => response.end();
    await ask(await open());
    expect(seen.at(-1)?.[1].cookie).toBe('sid=mine');
  });
});

test('origins are exact: neither a subdomain, another port nor plain http is meant', async () => {
  const { session } = await opened({
    origins: ['https://example.com', 'https://*.wide.example'],
    bearer_token: 'secret',
    cookies: [{ ...cookie('secret'), domain: '.example.com' }],
  });
  const carried = async (url: string) => (await session.prepare(url)).headers;
  expect(await carried('https://example.com/')).toEqual({
    authorization: 'Bearer secret',
    cookie: 'sid=secret',
  });
  for (const url of [
    'http://example.com/',
    'https://example.com:8443/',
    'https://www.example.com/',
    'https://example.com.evil.test/',
    'https://wide.example/',
    'http://a.wide.example/',
    'https://awide.example/',
  ])
    expect([url, await carried(url)]).toEqual([url, {}]);
  expect(await carried('https://a.b.wide.example/')).toEqual({ authorization: 'Bearer secret' });
});
