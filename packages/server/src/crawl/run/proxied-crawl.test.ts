import { mkdtempSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawlOptions, readConfiguration } from '@holdfast/contract';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QueueFixture } from '../../../../../test/queue-fixture/queue-fixture.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import { deleteProxy, showProxy, writeProxy } from '../../governor/proxies/stored-proxies.ts';
import { configureSource } from '../../governor/sources/configure-source.ts';
import { createProfile } from '../../queue/profiles/profiles.ts';
import { type LocalSite, startSite } from '../../web/fetch/testing/local-site.ts';
import { type LocalProxy, startHttpProxy, startSocksProxy } from '../../web/proxy/testing/local-proxy.ts';
import { openCrawl } from './open-crawl.ts';

const queue = new QueueFixture();
const folder = mkdtempSync(join(tmpdir(), 'proxied-crawl-'));
const configurationOf = (env: Record<string, string> = {}) => ({
  ...readConfiguration({ HOLDFAST_DATA: folder, ...env }),
  allowPrivate: [site.origin],
});
const secrets = new SecretStore(new SecretKeys(readConfiguration({ HOLDFAST_DATA: folder })));

let site: LocalSite;
/** What the site says to a page, by its path. */
let pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  pages = {};
  site = await startSite((request, response) => {
    const { pathname } = new URL(request.url ?? '', site.origin);
    const answer = pages[pathname];
    response.setHeader('content-type', 'text/html');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  closers.push(site.close);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await queue.pool.query(
    'UPDATE sources SET proxy = NULL; DELETE FROM proxies; DELETE FROM proxy_health; DELETE FROM secrets',
  );
});

function keep<T extends { close(): Promise<unknown> }>(made: T): T {
  closers.push(() => made.close());
  return made;
}

const html = (text: string) => (_: IncomingMessage, response: ServerResponse) =>
  void response.end(`<title>${text}</title><main><p>${text}</p><a href="/other">other</a></main>`);

const urlOf = ({ port }: LocalProxy, credentials = '') => `http://${credentials}127.0.0.1:${port}`;

function addProxy(name: string, urls: string[], more: Parameters<typeof writeProxy>[3] = {}): Promise<void> {
  return writeProxy(queue.pool, secrets, name, { urls, mayBePrivate: true, cooldown_seconds: 3600, ...more });
}

async function crawl(options: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  const payload = { url: `${site.origin}/`, discover: false, attempts: 1, ...options };
  const job = await queue.claimedOne({ payload });
  const running = await openCrawl({
    db: queue.pool,
    log: pino({ level: 'silent' }),
    job,
    options: crawlOptions.parse(payload),
    configuration: configurationOf(env),
    leaseEnds: () => Number.POSITIVE_INFINITY,
    actor: 'supervisor:w1',
  });
  const status = await running.ended;
  await running.close();
  const { rows } = await queue.pool.query(
    `SELECT url, outcome, reason, message, status, proxy, blocked FROM crawl_pages WHERE job_id = $1 AND kind = 'page' ORDER BY page_no`,
    [job.id],
  );
  const { rows: jobs } = await queue.pool.query('SELECT * FROM crawl_jobs WHERE id = $1', [job.id]);
  return { status, pages: rows, job: jobs[0] };
}

describe('a crawl with a proxy', () => {
  test('sends everything through it, robots.txt too, and its pages say so', async () => {
    const proxy = keep(await startHttpProxy({ username: 'me', password: 'planted-secret' }));
    await addProxy('eu', [urlOf(proxy, 'me:planted-secret@')]);
    pages = { '/': html('one'), '/other': html('two') };
    const done = await crawl({ proxy: 'eu' });
    expect(done.status).toBe('completed');
    expect(done.pages).toMatchObject([
      { outcome: 'fetched', proxy: 'eu', blocked: null },
      { outcome: 'fetched', proxy: 'eu' },
    ]);
    expect(site.requests.sort()).toEqual(['GET /', 'GET /other', 'GET /robots.txt']);
    expect(proxy.asked.every((target) => target === `127.0.0.1:${site.port}`)).toBe(true);
    expect(site.connections()).toBe(proxy.asked.length);
    expect(await showProxy(queue.pool, 'eu')).toMatchObject({
      servers: [
        { server: 'eu', address: `http://127.0.0.1:${proxy.port}`, state: 'ok', requests: 3, failures: 0 },
      ],
    });
  });

  test('keeps the credentials out of every table', async () => {
    const proxy = keep(await startHttpProxy({ username: 'me', password: 'other' }));
    await addProxy('eu', [urlOf(proxy, 'me:planted-secret@')]);
    pages = { '/': html('one') };
    await crawl({ proxy: 'eu', attempts: 3 });
    const { rows: tables } = await queue.pool.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
    );
    expect(tables.length).toBeGreaterThan(20);
    for (const { table_name } of tables) {
      const { rows } = await queue.pool.query(`SELECT row::text AS text FROM "${table_name}" AS row`);
      const text = JSON.stringify(rows);
      for (const form of [
        'planted-secret',
        Buffer.from('planted-secret').toString('hex'),
        btoa('me:planted-secret'),
      ])
        expect(text.includes(form), table_name).toBe(false);
    }
  });

  test.each([
    [
      'dead',
      async () => {
        const proxy = await startHttpProxy();
        await proxy.close();
        return urlOf(proxy);
      },
      'ECONNREFUSED',
    ],
    [
      'that refuses the password',
      async () => urlOf(keep(await startHttpProxy({ username: 'me', password: 'x' })), 'me:y@'),
      '407',
    ],
    [
      'that refuses the connection',
      async () => `socks5://127.0.0.1:${keep(await startSocksProxy({ reply: 2 })).port}`,
      'does not allow',
    ],
  ])('%s fails as the fault of the proxy, and asks the site for nothing', async (_, make, words) => {
    await addProxy('eu', [await make()]);
    pages = { '/': html('one') };
    const done = await crawl({ proxy: 'eu' });
    expect(done.job).toMatchObject({ status: 'retryable', error_code: 'proxy_failed' });
    expect(done.job.error_message).toContain(words);
    expect(done.job.blocked_by).toMatchObject({ cause: 'proxy', host: new URL(site.origin).host });
    expect(site.connections()).toBe(0);
    const { rows } = await queue.pool.query(
      'SELECT failure_streak, failed_urls, paused_until, trouble FROM sources WHERE hosts @> ARRAY[$1]',
      [new URL(site.origin).host],
    );
    expect(rows).toEqual([{ failure_streak: 0, failed_urls: 0, paused_until: null, trouble: null }]);
    expect(await showProxy(queue.pool, 'eu')).toMatchObject({
      servers: [
        { state: expect.stringMatching(/resting|failing/), last_failure: expect.stringContaining(words) },
      ],
    });
  });

  test('that does not exist fails at once', async () => {
    pages = { '/': html('one') };
    await expect(crawl({ proxy: 'nowhere' })).rejects.toMatchObject({ code: 'proxy_not_found' });
    expect(site.connections()).toBe(0);
  });

  test('whose key is missing asks the site for nothing', async () => {
    const proxy = keep(await startHttpProxy());
    await addProxy('eu', [urlOf(proxy)]);
    const other = mkdtempSync(join(tmpdir(), 'proxied-crawl-'));
    await expect(crawl({ proxy: 'eu' }, { HOLDFAST_DATA: other })).rejects.toMatchObject({
      code: 'secret_key_missing',
    });
    expect(site.connections()).toBe(0);
    expect(proxy.connections()).toBe(0);
  });

  test('of a list takes turns with its servers, and goes on without one that is dead', async () => {
    const dead = await startHttpProxy();
    await dead.close();
    const [one, two] = [keep(await startHttpProxy()), keep(await startHttpProxy())];
    await addProxy('eu', [urlOf(one), urlOf(dead), urlOf(two)]);
    pages['/'] = (_, response) =>
      void response.end(Array.from({ length: 12 }, (_, page) => `<a href="/p${page}">p</a>`).join(''));
    pages['/other'] = html('two');
    for (let page = 0; page < 12; page++) pages[`/p${page}`] = html(`page ${page}`);
    const done = await crawl({ proxy: 'eu' });
    expect(done.status).toBe('completed');
    expect(done.pages.every(({ outcome }) => outcome === 'fetched')).toBe(true);
    expect(new Set(done.pages.map(({ proxy }) => proxy))).toEqual(new Set(['eu#1', 'eu#3']));
  });
});

describe('the proxy of a request', () => {
  test('is that of the job, then that of its profile, of the source, then HOLDFAST_PROXY', async () => {
    const [own, sources, all] = [
      keep(await startHttpProxy()),
      keep(await startHttpProxy()),
      keep(await startHttpProxy()),
    ];
    await addProxy('own', [urlOf(own)]);
    await addProxy('sources', [urlOf(sources)]);
    pages = { '/': (_, response) => void response.end('<p>one</p>') };
    const env = { HOLDFAST_PROXY: urlOf(all) };
    const viaOf = async (options: Record<string, unknown>, more = env) =>
      (await crawl(options, more)).pages.map(({ proxy }) => proxy);
    expect(await viaOf({})).toEqual(['default']);
    expect(await viaOf({}, { ...env, HOLDFAST_NO_PROXY: '*.example, 127.0.0.1' } as typeof env)).toEqual([
      null,
    ]);
    const { host } = new URL(site.origin);
    await configureSource(queue.pool, `s-${site.port}`, { hosts: [host], proxy: 'sources' });
    expect(await viaOf({})).toEqual(['sources']);
    const profile = await createProfile(queue.pool, secrets, {
      name: `p-${site.port}`,
      origins: [site.origin],
      bearer_token: 'x',
      proxy: 'own',
      user_id: 'local',
    });
    await queue.pool.query(
      'UPDATE profiles SET user_id = (SELECT user_id FROM crawl_jobs LIMIT 1) WHERE id = $1',
      [profile.id],
    );
    expect(await viaOf({ profile: profile.name })).toEqual(['own']);
    expect(await viaOf({ profile: profile.name, proxy: 'direct' })).toEqual([null]);
    await queue.pool.query('DELETE FROM profiles');
    expect(await viaOf({ proxy: 'own' })).toEqual(['own']);
    expect(await viaOf({ proxy: 'direct' })).toEqual([null]);
    await configureSource(queue.pool, `s-${site.port}`, { proxy: 'direct' });
    expect(await viaOf({})).toEqual([null]);
    await expect(deleteProxy(queue.pool, secrets, 'sources')).resolves.toBeUndefined();
  });
});

describe('a blocked page', () => {
  const challenge = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(403, { 'cf-mitigated': 'challenge' }).end('<title>Just a moment...</title>');

  test('is reported with who blocked it; an ordinary 403 keeps its reason', async () => {
    pages = {
      '/': (_, response) =>
        void response.end(
          '<a href="/cf">a</a><a href="/plain">b</a><a href="/anubis">c</a><a href="/law">d</a>',
        ),
      '/cf': challenge,
      '/plain': (_, response) => void response.writeHead(403).end('<h1>Forbidden</h1>'),
      '/anubis': (_, response) =>
        void response.end('<script id="anubis_challenge" type="application/json">{}</script>'),
      '/law': (_, response) => void response.writeHead(451).end(),
    };
    const { pages: stored } = await crawl();
    const byPath = Object.fromEntries(stored.map((page) => [new URL(page.url).pathname, page]));
    expect(byPath['/cf']).toMatchObject({
      outcome: 'failed',
      reason: 'blocked',
      status: 403,
      message:
        'The site blocked the request: Cloudflare wants proof of a browser or a person (cf-mitigated: challenge, HTTP 403)',
      blocked: { by: 'cloudflare', kind: 'challenge', status: 403, evidence: 'cf-mitigated: challenge' },
    });
    expect(byPath['/plain']).toMatchObject({
      outcome: 'failed',
      reason: 'http_403',
      blocked: { by: 'site', kind: 'refusal', evidence: 'HTTP 403' },
    });
    expect(byPath['/anubis']).toMatchObject({ outcome: 'failed', reason: 'blocked', status: 200 });
    expect(byPath['/law']).toMatchObject({ reason: 'http_451', blocked: { by: 'site', kind: 'legal' } });
    expect(byPath['/']).toMatchObject({ outcome: 'fetched', blocked: null });
    expect(site.requests.filter((request) => request === 'GET /cf')).toHaveLength(1);
  });

  test('is tried with other servers of the proxy if the crawl says so, and the record tells', async () => {
    const blockedOnes = new Set<unknown>();
    const servers = [
      keep(await startHttpProxy()),
      keep(await startHttpProxy()),
      keep(await startHttpProxy()),
    ];
    await addProxy(
      'eu',
      servers.map((server) => urlOf(server)),
    );
    pages = {
      '/': (_, response) => void response.end('<a href="/cf">a</a>'),
      // The site knows its clients by their connections: two of them are blocked.
      '/cf': (request, response) => {
        blockedOnes.add(request.socket);
        if (blockedOnes.size <= 2) challenge(request, response);
        else html('welcome')(request, response);
      },
    };
    const [, page] = (await crawl({ proxy: 'eu', on_block: ['proxy'], include: ['/cf'] })).pages;
    expect(page).toMatchObject({
      outcome: 'fetched',
      status: 200,
      blocked: { by: 'cloudflare', status: 403, tried: ['proxy'] },
    });
    expect(site.requests.filter((request) => request === 'GET /cf')).toHaveLength(3);
    pages['/cf'] = challenge;
    const [, failed] = (await crawl({ proxy: 'eu', on_block: ['proxy'], include: ['/cf'] })).pages;
    expect(failed).toMatchObject({ outcome: 'failed', reason: 'blocked', blocked: { tried: ['proxy'] } });
    expect(site.requests.filter((request) => request === 'GET /cf')).toHaveLength(6);
  });

  test('is not tried otherwise where the site limits the rate', async () => {
    const servers = [keep(await startHttpProxy()), keep(await startHttpProxy())];
    await addProxy(
      'eu',
      servers.map((server) => urlOf(server)),
    );
    pages = { '/': (_, response) => void response.writeHead(429).end() };
    const done = await crawl({ proxy: 'eu', on_block: ['proxy', 'render'], ignore_robots: true });
    expect(done.job.error_code).toBe('rate_limited');
    expect(done.pages[0]).toMatchObject({
      reason: 'rate_limited',
      blocked: { by: 'site', kind: 'rate_limit' },
    });
    expect(done.pages[0].blocked.tried).toBeUndefined();
  });
});
