import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProxyEndpoint } from '../web/proxy/proxy-endpoint.ts';
import { type LocalProxy, type LocalProxyOptions, startHttpProxy } from '../web/proxy/testing/local-proxy.ts';
import { GuardProxy, type ProxyPass } from './guard-proxy.ts';

let origin: Server;
let originUrl: string;
let asked: IncomingMessage[];
let proxy: GuardProxy;

beforeEach(async () => {
  asked = [];
  origin = createServer((incoming, answer) => {
    asked.push(incoming);
    answer.setHeader('connection', 'keep-alive, x-hop').setHeader('x-hop', '1');
    answer.end('x'.repeat(incoming.url === '/large' ? 1_000_000 : 10));
  }).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  originUrl = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  proxy = await GuardProxy.start({ allowOrigins: [originUrl] });
});
afterEach(async () => {
  await proxy.close();
  origin.closeAllConnections();
  origin.close();
});

function authorization({ username, password }: Pick<ProxyPass, 'username' | 'password'>): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function ask(url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: url, headers: { host: new URL(url).host, ...headers } })
      .on('response', async (response) => {
        const text = Buffer.concat(await response.toArray().catch(() => [])).toString();
        resolve({ status: response.statusCode ?? 0, text });
      })
      .on('error', reject)
      .end();
  });
}

/** Resolves with the first line of the answer to CONNECT. */
async function tunnelTo(target: string, pass?: ProxyPass): Promise<string> {
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  const proof = pass ? `Proxy-Authorization: ${authorization(pass)}\r\n` : '';
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${proof}\r\n`);
  const [piece] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return piece.toString().split('\r\n', 1)[0] ?? '';
}

describe('the guard proxy', () => {
  test('carries requests of a page with a pass, and counts their bytes', async () => {
    const pass = proxy.admit({ maxBytes: 1_000 });
    const answer = await ask(`${originUrl}/page`, {
      'proxy-authorization': authorization(pass),
      cookie: 'a=1',
    });
    expect(answer).toEqual({ status: 200, text: 'x'.repeat(10) });
    expect(pass.bytes).toBe(10);
    expect(asked[0]?.headers.cookie).toBe('a=1');
    expect(asked[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('answers 407 without a pass, with a wrong one, and after it has ended', async () => {
    const pass = proxy.admit({ maxBytes: 1_000 });
    const wrong = authorization({ username: pass.username, password: 'x' });
    expect((await ask(originUrl)).status).toBe(407);
    expect((await ask(originUrl, { 'proxy-authorization': wrong })).status).toBe(407);
    pass.close();
    expect((await ask(originUrl, { 'proxy-authorization': authorization(pass) })).status).toBe(407);
    expect(await tunnelTo(new URL(originUrl).host)).toMatch(/^HTTP\/1.1 407 /);
    expect(asked).toHaveLength(0);
  });

  test('ends the connections of a page that loads more than it may', async () => {
    const pass = proxy.admit({ maxBytes: 100_000 });
    const answer = await ask(`${originUrl}/large`, { 'proxy-authorization': authorization(pass) }).catch(
      () => undefined,
    );
    expect(answer?.text.length ?? 0).toBeLessThan(1_000_000);
    expect(pass.isSpent).toBe(true);
  });

  test('opens no connection to a private address, by request or by tunnel', async () => {
    const victim = createTcpServer().listen(0, '127.0.0.1');
    await once(victim, 'listening');
    let connections = 0;
    victim.on('connection', (socket) => {
      connections++;
      socket.destroy();
    });
    const { port } = victim.address() as AddressInfo;
    const pass = proxy.admit({ maxBytes: 1_000 });
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', '2130706433', '127.1'];
    for (const host of hosts) {
      const url = `http://${host}:${port}/`;
      expect((await ask(url, { 'proxy-authorization': authorization(pass) })).status, url).toBe(403);
      expect(await tunnelTo(`${host}:${port}`, pass), url).toMatch(/^HTTP\/1.1 403 /);
    }
    expect(connections).toBe(0);
    expect(pass.refused).toBe(hosts.length * 2);
    victim.close();
  });

  test('refuses a name that resolves to a private address, whatever it resolved to before', async () => {
    const answers = ['93.184.216.34', '127.0.0.1'];
    const rebinding = await GuardProxy.start({
      resolve: async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }],
    });
    answers.shift();
    const pass = rebinding.admit({ maxBytes: 1_000 });
    const plain = proxy;
    proxy = rebinding;
    const { port } = new URL(originUrl);
    const headers = { 'proxy-authorization': authorization(pass) };
    expect((await ask(`http://rebind.example:${port}/`, headers)).status).toBe(403);
    expect(await tunnelTo(`rebind.example:${port}`, pass)).toMatch(/^HTTP\/1.1 403 /);
    expect(asked).toHaveLength(0);
    await rebinding.close();
    proxy = plain;
  });

  test('tunnels to an allowed origin', async () => {
    const pass = proxy.admit({ maxBytes: 1_000 });
    expect(await tunnelTo(new URL(originUrl).host, pass)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a page that uses a proxy', () => {
  const servers: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  const viaOf = (upstream: LocalProxy, more: Partial<ProxyEndpoint> = {}): ProxyEndpoint => ({
    scheme: 'http',
    host: '127.0.0.1',
    port: upstream.port,
    username: 'me',
    password: 'x',
    resolvesNames: false,
    name: 'eu',
    mayBePrivate: true,
    ...more,
  });
  const start = async (options: LocalProxyOptions = {}) => {
    const upstream = await startHttpProxy({ username: 'me', password: 'x', ...options });
    servers.push(upstream);
    return upstream;
  };

  test('loads everything through it, and the others nothing', async () => {
    const upstream = await start();
    const through = {
      'proxy-authorization': authorization(proxy.admit({ maxBytes: 1_000 }, viaOf(upstream))),
    };
    const direct = { 'proxy-authorization': authorization(proxy.admit({ maxBytes: 1_000 })) };
    const { host } = new URL(originUrl);
    expect((await ask(`${originUrl}/a`, direct)).status).toBe(200);
    expect(upstream.asked).toEqual([]);
    expect((await ask(`${originUrl}/b`, through)).status).toBe(200);
    expect(upstream.asked).toEqual([host]);
    expect((await ask(`${originUrl}/c`, direct)).status).toBe(200);
    const pass = proxy.admit({ maxBytes: 1_000 }, viaOf(upstream));
    expect(await tunnelTo(host, pass)).toMatch(/^HTTP\/1.1 200 /);
    expect(upstream.asked).toEqual([host, host]);
    expect(asked.map(({ headers }) => headers['proxy-authorization'])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('reaches no private address by it, and a name only as an address', async () => {
    const upstream = await start();
    const guarded = await GuardProxy.start({
      resolve: async (name) => [
        { address: name === 'evil.example' ? '10.0.0.1' : '93.184.216.34', family: 4 },
      ],
    });
    servers.push(guarded);
    const pass = guarded.admit({ maxBytes: 1_000 }, viaOf(upstream));
    const plain = proxy;
    proxy = guarded;
    const headers = { 'proxy-authorization': authorization(pass) };
    for (const host of ['127.0.0.1', 'localhost', '169.254.169.254', '[::1]', 'evil.example']) {
      expect((await ask(`http://${host}/`, headers)).status, host).toBe(403);
      expect(await tunnelTo(`${host}:443`, pass), host).toMatch(/^HTTP\/1.1 403 /);
    }
    expect(upstream.connections()).toBe(0);
    await tunnelTo('public.example:443', pass);
    expect(upstream.asked).toEqual(['93.184.216.34:443']);
    proxy = plain;
  });

  test.each(['is dead', 'refuses the password'])(
    'gets an error when that %s, and never goes without',
    async (what) => {
      const upstream = await start();
      if (what === 'is dead') await servers.pop()?.close();
      const via = viaOf(upstream, { password: 'wrong' });
      for (const resolvesNames of [false, true]) {
        const pass = proxy.admit({ maxBytes: 1_000 }, { ...via, resolvesNames });
        const headers = { 'proxy-authorization': authorization(pass) };
        expect((await ask(originUrl, headers)).status).toBe(502);
        expect(await tunnelTo(new URL(originUrl).host, pass)).toMatch(/^HTTP\/1.1 502 /);
      }
      expect(asked).toHaveLength(0);
    },
  );

  test('sends plain requests whole to a proxy that resolves names, and tunnels all the same', async () => {
    const upstream = await start();
    const pass = proxy.admit({ maxBytes: 1_000 }, viaOf(upstream, { resolvesNames: true }));
    const answer = await ask(`${originUrl}/a`, { 'proxy-authorization': authorization(pass) });
    expect(answer.status).toBe(200);
    expect(await tunnelTo(new URL(originUrl).host, pass)).toMatch(/^HTTP\/1.1 200 /);
    expect(upstream.asked).toEqual([`${originUrl}/a`, new URL(originUrl).host]);
  });
});
