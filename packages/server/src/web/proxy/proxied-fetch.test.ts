import { parseProxyUrl } from '@holdfast/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HttpFetcher, type HttpFetcherOptions } from '../fetch/http-fetcher.ts';
import { certificate } from '../fetch/testing/certificate.ts';
import { failureOf } from '../fetch/testing/failure-of.ts';
import { forbiddenUrls } from '../fetch/testing/forbidden-urls.ts';
import { type LocalSite, startSecureSite, startSite } from '../fetch/testing/local-site.ts';
import { fetchThrough } from './fetch-through.ts';
import { ProxyPool, type ProxyPoolOptions } from './proxy-pool.ts';
import { type LocalProxy, startHttpProxy, startHttpsProxy, startSocksProxy } from './testing/local-proxy.ts';

const publicAddress = '93.184.216.34';
const resolve = async () => [
  { address: '2606:4700::1111', family: 6 },
  { address: publicAddress, family: 4 },
];

const closers: (() => Promise<unknown>)[] = [];
let site: LocalSite;
let secureSite: LocalSite;
beforeEach(async () => {
  site = await startSite((request, response) => response.end(`host ${request.headers.host}`));
  secureSite = await startSecureSite((request, response) => response.end(`host ${request.headers.host}`));
  closers.push(site.close, secureSite.close);
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function keep<T extends { close(): Promise<unknown> }>(made: T): T {
  closers.push(() => made.close());
  return made;
}

function fetcherWith(options: HttpFetcherOptions = {}): HttpFetcher {
  return keep(new HttpFetcher({ resolve, ca: [certificate.cert], ...options }));
}

function poolOf(urls: readonly string[], options: Partial<ProxyPoolOptions> = {}): ProxyPool {
  return new ProxyPool({ name: 'eu', servers: urls.map(parseProxyUrl), mayBePrivate: true, ...options });
}

const text = ({ body }: { body: Buffer | undefined }) => body?.toString();

describe.each([
  ['http', startHttpProxy, 'http'],
  ['https', startHttpsProxy, 'https'],
  ['socks5', startSocksProxy, 'socks5'],
] as const)('through an %s proxy', (_, start, scheme) => {
  const urlOf = ({ port }: LocalProxy, credentials = '') => `${scheme}://${credentials}127.0.0.1:${port}`;

  test('a page comes by the address that was checked, and under its own name', async () => {
    const proxy = keep(await start({ to: site.port }));
    const response = await fetchThrough(fetcherWith(), poolOf([urlOf(proxy)]), {
      url: 'http://shop.example/a',
    });
    expect(text(response)).toBe('host shop.example');
    expect(response).toMatchObject({ proxy: 'eu', remoteAddress: publicAddress });
    expect(proxy.asked).toEqual([`${publicAddress}:80`]);
  });

  test('TLS runs inside of the tunnel, and the certificate has to be that of the name', async () => {
    const proxy = keep(await start({ to: secureSite.port }));
    const pool = poolOf([urlOf(proxy)]);
    const fetcher = fetcherWith();
    const response = await fetchThrough(fetcher, pool, { url: 'https://secure.test/' });
    expect(text(response)).toBe('host secure.test');
    const failure = await failureOf(fetchThrough(fetcher, pool, { url: 'https://other.example/' }));
    expect(failure.code).toBe('tls_failed');
    expect(proxy.asked).toEqual([`${publicAddress}:443`, `${publicAddress}:443`]);
  });

  test('a connection is used again', async () => {
    const proxy = keep(await start({ to: site.port }));
    const pool = poolOf([urlOf(proxy)]);
    const fetcher = fetcherWith();
    for (const path of ['a', 'b', 'c'])
      await fetchThrough(fetcher, pool, { url: `http://shop.example/${path}` });
    expect(proxy.connections()).toBe(1);
  });

  test('credentials are sent, and wrong ones are a failure of the proxy that says so', async () => {
    const proxy = keep(await start({ to: site.port, username: 'me', password: 'p:ä@s' }));
    const fetcher = fetcherWith();
    const right = poolOf([urlOf(proxy, `me:${encodeURIComponent('p:ä@s')}@`)]);
    expect(text(await fetchThrough(fetcher, right, { url: 'http://shop.example/' }))).toBe(
      'host shop.example',
    );
    for (const credentials of ['me:wrong@', '']) {
      const pool = poolOf([urlOf(proxy, credentials)]);
      const failure = await failureOf(fetchThrough(fetcher, pool, { url: 'http://shop.example/' }));
      expect(failure).toMatchObject({ code: 'proxy_failed', retry: 'later', isUnauthorized: true });
      expect(failure.message).toContain(
        credentials ? 'refuses the user name or password' : 'asks for a user name',
      );
      expect(JSON.stringify(failure) + failure.stack).not.toContain('wrong');
      expect(pool.blockedUntil('shop.example')).toBeGreaterThan(0);
    }
    expect(site.requests).toHaveLength(1);
  });

  test('a name goes to the proxy only where the operator lets it resolve names', async () => {
    const proxy = keep(await start({ to: secureSite.port }));
    const pool = poolOf([urlOf(proxy)], { resolvesNames: true });
    const fetcher = fetcherWith({
      resolve: () => Promise.reject(new Error('nothing is resolved here')),
    });
    const response = await fetchThrough(fetcher, pool, { url: 'https://secure.test/' });
    expect(response.remoteAddress).toBeUndefined();
    expect(proxy.asked).toEqual(['secure.test:443']);
  });

  test('nothing that is not public is asked for, however it is written or resolved', async () => {
    const proxy = keep(await start({ to: site.port }));
    const pool = poolOf([urlOf(proxy)]);
    const opened = poolOf([urlOf(proxy)], { resolvesNames: true });
    for (const url of forbiddenUrls) {
      const failure = await failureOf(fetchThrough(fetcherWith(), pool, { url }));
      expect(['address_forbidden', 'url_invalid'], url).toContain(failure.code);
      const named = await failureOf(fetchThrough(fetcherWith(), opened, { url }));
      expect(['address_forbidden', 'url_invalid'], url).toContain(named.code);
    }
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:169.254.169.254', '169.254.169.254']) {
      const fetcher = fetcherWith({
        resolve: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
      });
      for (const url of ['http://evil.example/', 'https://evil.example/'])
        expect((await failureOf(fetchThrough(fetcher, pool, { url }))).code).toBe('address_forbidden');
    }
    expect(proxy.asked).toEqual([]);
    expect(proxy.connections()).toBe(0);
    expect(pool.blockedUntil('evil.example')).toBe(0);
  });

  test('a dead proxy is its own failure, and rests after a few of them', async () => {
    const proxy = await start();
    await proxy.close();
    const pool = poolOf([urlOf(proxy)]);
    const fetcher = fetcherWith();
    for (let times = 0; times < 3; times++) {
      expect(pool.blockedUntil('shop.example')).toBe(0);
      const failure = await failureOf(fetchThrough(fetcher, pool, { url: 'http://shop.example/' }));
      expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'proxy', isSent: false });
    }
    expect(pool.blockedUntil('shop.example')).toBeGreaterThan(performance.now());
    const failure = await failureOf(fetchThrough(fetcher, pool, { url: 'http://shop.example/' }));
    expect(failure.message).toMatch(
      /eu is paused after failures \(last: eu: cannot be reached \(ECONNREFUSED\)\)/,
    );
  });

  test('a proxy that never connects to the site is given up in time', async () => {
    const proxy = keep(await start({ instead: () => true }));
    const fetcher = fetcherWith({ limits: { connectMs: 200 } });
    const failure = await failureOf(
      fetchThrough(fetcher, poolOf([urlOf(proxy)]), { url: 'http://shop.example/' }),
    );
    expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'route', isSent: false });
    expect(failure.message).toContain('the proxy did not connect (no connection within 0.2 s)');
  });

  test('a proxy that takes a connection and says nothing is given up in time', async () => {
    const mute = keep(await startMute());
    const fetcher = fetcherWith({ limits: { connectMs: 200 } });
    const pool = poolOf([`${scheme}://127.0.0.1:${mute.port}`]);
    const failure = await failureOf(fetchThrough(fetcher, pool, { url: 'http://shop.example/' }));
    expect(failure).toMatchObject({ code: 'proxy_failed', isSent: false });
  });

  test('a connection that breaks off after the request is not asked for again by itself', async () => {
    const cut = keep(await startSite((request) => request.socket.destroy()));
    const proxies = [keep(await start({ to: cut.port })), keep(await start({ to: cut.port }))];
    const failure = await failureOf(
      fetchThrough(fetcherWith(), poolOf(proxies.map((proxy) => urlOf(proxy))), {
        url: 'http://shop.example/',
      }),
    );
    expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'route', isSent: true });
    expect(cut.requests).toHaveLength(1);
  });

  test('the next proxy of a list takes over from one that fails', async () => {
    const dead = await start();
    await dead.close();
    const proxy = keep(await start({ to: site.port }));
    const pool = poolOf([urlOf(dead), urlOf(proxy)]);
    for (let times = 0; times < 6; times++) {
      const response = await fetchThrough(fetcherWith(), pool, { url: 'http://shop.example/' });
      expect(response.proxy).toBe('eu#2');
    }
    expect(pool.collect()).toMatchObject([
      {
        endpoint: 'eu#1',
        failures: 3,
        succeeded: false,
        lastFailure: expect.stringContaining('ECONNREFUSED'),
      },
      { endpoint: 'eu#2', requests: 6, failures: 0, succeeded: true },
    ]);
  });
});

async function startMute() {
  const { startRawSite } = await import('../fetch/testing/local-site.ts');
  return startRawSite(() => {});
}

describe('a refusing proxy', () => {
  test.each([403, 500, 502, 503])(
    'answers CONNECT with %i: nobody says whose fault it is',
    async (status) => {
      const proxy = keep(
        await startHttpProxy({
          instead: (__, client) => {
            client.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
            return true;
          },
        }),
      );
      const pool = poolOf([`http://127.0.0.1:${proxy.port}`]);
      const failure = await failureOf(fetchThrough(fetcherWith(), pool, { url: 'https://shop.example/' }));
      expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'route' });
      expect(failure.message).toContain(`HTTP ${status}`);
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 8])('answers a SOCKS5 request with %i, likewise', async (reply) => {
    const proxy = keep(await startSocksProxy({ reply }));
    const pool = poolOf([`socks5://127.0.0.1:${proxy.port}`]);
    const failure = await failureOf(fetchThrough(fetcherWith(), pool, { url: 'https://shop.example/' }));
    expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'route' });
  });

  test('keeps a host from others only after it has brought nothing from several', async () => {
    const proxy = keep(await startSocksProxy({ reply: 5 }));
    const pool = poolOf([`socks5://127.0.0.1:${proxy.port}`]);
    const ask = (host: string) => failureOf(fetchThrough(fetcherWith(), pool, { url: `https://${host}/` }));
    for (let times = 0; times < 3; times++) await ask('dead.example');
    expect(pool.blockedUntil('dead.example')).toBeGreaterThan(0);
    expect(pool.blockedUntil('two.example')).toBe(0);
    await ask('two.example');
    expect(pool.blockedUntil('three.example')).toBe(0);
    await ask('three.example');
    expect(pool.blockedUntil('four.example')).toBeGreaterThan(0);
  });

  test('that speaks another protocol is told apart', async () => {
    for (const scheme of ['http', 'socks5']) {
      const other = keep(
        await (scheme === 'http'
          ? startRaw('SSH-2.0-OpenSSH_9.2\r\n')
          : startRaw('HTTP/1.1 400 Bad\r\n\r\n')),
      );
      const pool = poolOf([`${scheme}://127.0.0.1:${other.port}`]);
      const failure = await failureOf(fetchThrough(fetcherWith(), pool, { url: 'https://shop.example/' }));
      expect(failure).toMatchObject({ code: 'proxy_failed', blame: 'proxy' });
    }
  });
});

async function startRaw(words: string) {
  const { startRawSite } = await import('../fetch/testing/local-site.ts');
  return startRawSite((socket) => socket.write(words));
}

describe('an HTTP proxy that resolves names', () => {
  test('gets plain requests whole, with its credentials and no others of ours', async () => {
    const proxy = keep(await startHttpProxy({ to: site.port, username: 'me', password: 'x' }));
    const pool = poolOf([`http://me:x@127.0.0.1:${proxy.port}`], { resolvesNames: true });
    const response = await fetchThrough(fetcherWith(), pool, { url: 'http://shop.example/a?b=1' });
    expect(text(response)).toBe('host shop.example');
    expect(proxy.asked).toEqual(['http://shop.example/a?b=1']);
    expect(site.requests).toEqual(['GET /a?b=1']);
  });

  test('answers for itself with 407 and with errors that it marks', async () => {
    const proxy = keep(await startHttpProxy({ to: 1, username: 'me', password: 'x' }));
    const ask = (credentials: string) =>
      failureOf(
        fetchThrough(
          fetcherWith(),
          poolOf([`http://${credentials}127.0.0.1:${proxy.port}`], { resolvesNames: true }),
          { url: 'http://shop.example/' },
        ),
      );
    expect(await ask('me:y@')).toMatchObject({ code: 'proxy_failed', isUnauthorized: true });
    expect(await ask('me:x@')).toMatchObject({ code: 'proxy_failed', blame: 'route' });
  });
});

describe("a proxy's own address", () => {
  test('is checked like a site where an API client may have set it', async () => {
    const proxy = keep(await startHttpProxy({ to: site.port }));
    const pool = poolOf([`http://127.0.0.1:${proxy.port}`], { mayBePrivate: false });
    const failure = await failureOf(fetchThrough(fetcherWith(), pool, { url: 'http://shop.example/' }));
    expect(failure.code).toBe('address_forbidden');
    const named = poolOf([`http://proxy.example:${proxy.port}`], { mayBePrivate: false });
    const rebound = fetcherWith({
      resolve: async (name) => [
        { address: name === 'proxy.example' ? '127.0.0.1' : publicAddress, family: 4 },
      ],
    });
    expect((await failureOf(fetchThrough(rebound, named, { url: 'http://shop.example/' }))).code).toBe(
      'address_forbidden',
    );
    expect(proxy.connections()).toBe(0);
    const allowed = fetcherWith({ allowOrigins: [`http://127.0.0.1:${proxy.port}`] });
    expect((await fetchThrough(allowed, pool, { url: 'http://shop.example/' })).status).toBe(200);
  });
});
