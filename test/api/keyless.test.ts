import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { readConfiguration, refuseKeylessInPublic } from '@holdfast/contract';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { createServer } from '../../packages/server/src/api/create-server.ts';
import { jobReadRoutes } from '../../packages/server/src/api/jobs/read-routes.ts';
import { refuseOpenListener } from '../../packages/server/src/api/keyless.ts';
import { startServer } from '../../packages/server/src/api/start-server.ts';
import { openDatabase } from '../../packages/server/src/base/database/open-database.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { ApiFixture } from '../api-fixture/api-fixture.ts';
import { ListeningApi } from '../api-fixture/listening-api.ts';
import { createTestDatabase } from '../database-fixture/create-test-database.ts';

vi.setConfig({ testTimeout: 60_000 });
const api = new ListeningApi({ HOLDFAST_KEYLESS: 'loopback', HOLDFAST_STREAM_BEAT_SECONDS: '0.05' });
const closed = new ListeningApi();
const inner = new ApiFixture();
const portOf = ({ address }: ListeningApi) => Number(new URL(address).port);
const ours = () => `127.0.0.1:${portOf(api)}`;

/** Bytes as they are: no client adds or forbids anything. Resolves with the status and the answer. */
async function send(lines: readonly string[], { body = '', to = portOf(api), address = '127.0.0.1' } = {}) {
  const socket = connect(to, address);
  // Not `end`: a server takes no request of a connection that is closed on one side.
  socket.write(
    `${[...lines, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`,
  );
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1')) answer += chunk;
  return { status: Number(/^HTTP\/1\.\d (\d+)/.exec(answer)?.[1]), answer };
}
const isRefused = (status: number) => status === 400 || status === 401;
const list = (...headers: string[]) => send(['GET /api/v1/jobs HTTP/1.1', ...headers]);

describe('a program on this machine', () => {
  test('needs no key, and acts as the local owner', async () => {
    const { status, body } = await api.json('/api/v1/jobs', {
      method: 'POST',
      key: null,
      body: { kind: 'crawl', payload: { url: 'https://example.com/' } },
    });
    expect([status, body.user_id]).toEqual([201, 'local']);
    const crawl = { url: 'https://example.com/' };
    const other = await enqueueJob(api.pool, { kind: 'crawl', user_id: 'bob', payload: crawl });
    const mine = await api.json('/api/v1/jobs', { key: null });
    const seen = mine.body.data.map(({ id }: { id: string }) => id);
    expect([seen.includes(body.id), seen.includes(other.job.id)]).toEqual([true, false]);
    expect((await api.json(`/api/v1/jobs/${other.job.id}`, { key: null })).status).toBe(404);
  });

  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('may call it %s', async (name) => {
    expect((await list(`Host: ${name}:${portOf(api)}`)).status).toBe(200);
  });

  test('speaks the dialects without a key too', async () => {
    const pulled = await api.json('/api/crawl/pull/', {
      method: 'POST',
      key: null,
      body: { bot_id: 'bot-001' },
    });
    expect([pulled.status, pulled.body.success]).toEqual([200, true]);
    const crawled = await api.json('/knowledge-items/crawl', {
      method: 'POST',
      key: null,
      body: { url: 'https://example.com/docs' },
    });
    expect([crawled.status, crawled.body.success]).toEqual([200, true]);
  });

  test('makes no keys, and steers nothing that is not the local owner’s', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/keys'],
      ['POST', '/api/v1/keys'],
      ['POST', '/api/v1/sources/example.com/resume'],
      ['GET', '/metrics'],
    ])
      expect((await api.json(path ?? '', { method: method ?? '', key: null })).status).toBe(403);
    expect((await api.json('/health', { key: null })).body).toEqual({ ready: true });
  });

  test('that brings a key is who that key says, and nobody if it is wrong', async () => {
    const key = await api.key({ scopes: ['jobs:read'], user_id: 'bob' });
    expect((await api.json('/api/v1/keys', { key })).status).toBe(403);
    expect((await api.json('/api/v1/jobs', { key: 'hf_wrong' })).body.error.code).toBe('key_invalid');
    expect((await list(`Host: ${ours()}`, 'Authorization: Basic eDp5')).status).toBe(401);
    expect((await list(`Host: ${ours()}`, 'X-API-Key: hf_wrong')).status).toBe(401);
  });

  test('keeps its stream', async () => {
    const answer = await api.request('/api/v1/events', { key: null });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    // Keys are checked with every beat, behind it: two beats on, it was looked at once.
    let beats = 0;
    while (beats < 4) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      expect(done).toBe(false);
      beats += value?.match(/^:/gm)?.length ?? 0;
    }
    await reader?.cancel();
  });
});

describe('a request is refused', () => {
  const from = (...headers: string[]) => list(`Host: ${ours()}`, ...headers);

  test.each([
    'Origin: http://evil.test',
    'Origin: null',
    'Origin:',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: none',
    'X-Forwarded-For: 127.0.0.1',
    'x-forwarded-host: localhost',
    'X-Forwarded-Proto: https',
    'X-Forwarded: for=1.2.3.4',
    'Forwarded: for=1.2.3.4',
    'Via: 1.1 proxy',
    'X-Real-IP: 1.2.3.4',
    'CF-Connecting-IP: 1.2.3.4',
  ])('that a browser or a proxy sends: %s', async (header) => {
    const { status, answer } = await from(header);
    expect([status, answer]).toEqual([401, expect.stringContaining('key_missing')]);
  });

  test('that came from the page of an own origin: the console signs in', async () => {
    expect((await from(`Origin: http://${ours()}`)).status).toBe(401);
  });

  test.each([
    ['a name of somebody’s own', () => `evil.test:${portOf(api)}`],
    ['a name that looks like ours', () => `localhost.evil.test:${portOf(api)}`],
    ['a final dot', () => `localhost.:${portOf(api)}`],
    ['another port', () => 'localhost:1'],
    ['no port', () => 'localhost'],
    ['an account', () => `localhost:${portOf(api)}@evil.test`],
    ['an account before', () => `evil.test@localhost:${portOf(api)}`],
    ['an address that leads here as well', () => `127.0.0.2:${portOf(api)}`],
    ['a number', () => `2130706433:${portOf(api)}`],
    ['every address', () => `0.0.0.0:${portOf(api)}`],
    ['a mapped address', () => `[::ffff:127.0.0.1]:${portOf(api)}`],
    ['nothing', () => ''],
    ['a list', () => `localhost:${portOf(api)}, evil.test`],
  ])('to %s', async (_what, host) => {
    expect((await list(`Host: ${host()}`)).status).toSatisfy(isRefused);
  });

  test('with two hosts, with none, and over HTTP/1.0, as a proxy sends it that adds no header', async () => {
    expect((await from('Host: evil.test')).status).toSatisfy(isRefused);
    expect((await list('Host: evil.test', `Host: ${ours()}`)).status).toSatisfy(isRefused);
    expect((await list()).status).toBe(400);
    expect((await send(['GET /api/v1/jobs HTTP/1.0', `Host: ${ours()}`])).status).toBe(401);
  });

  test('of every dialect, and of a write, in the same way', async () => {
    const headers = [`Host: ${ours()}`, 'Origin: http://evil.test', 'Content-Type: application/json'];
    const body = '{"bot_id": "bot-001", "url": "https://example.com/"}';
    for (const path of ['/api/crawl/pull/', '/knowledge-items/crawl', '/api/v1/jobs']) {
      const { status } = await send([`POST ${path} HTTP/1.1`, ...headers], { body });
      expect([path, status]).toEqual([path, 401]);
    }
  });

  test('and nothing says that another origin may read an answer', async () => {
    for (const line of [
      'OPTIONS /api/v1/jobs HTTP/1.1',
      'GET /api/v1/jobs HTTP/1.1',
      'GET /health HTTP/1.1',
    ]) {
      const { answer } = await send([
        ...[line, `Host: ${ours()}`, 'Origin: http://evil.test'],
        ...['Access-Control-Request-Method: POST', 'Access-Control-Request-Private-Network: true'],
      ]);
      expect(answer.toLowerCase()).not.toContain('access-control-');
    }
  });

  test('unless the setting is on', async () => {
    expect(
      (await send(['GET /api/v1/jobs HTTP/1.1', `Host: 127.0.0.1:${portOf(closed)}`], { to: portOf(closed) }))
        .status,
    ).toBe(401);
  });
});

describe('a server', () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const keyless = { HOLDFAST_KEYLESS: 'loopback' };

  test('that listens elsewhere in spite of its configuration is stopped, and asks others for their keys', async () => {
    const [own, open] = ['127.0.0.1', '192.0.2.1'].map((address) => ({ address, family: 'IPv4', port: 1 }));
    const on = { keyless: 'loopback' } as const;
    expect(() => refuseOpenListener([own as AddressInfo], on)).not.toThrow();
    expect(() => refuseOpenListener([own as AddressInfo, open as AddressInfo], on)).toThrow(
      /resolves to 192.0.2.1/,
    );
    expect(() => refuseOpenListener([open as AddressInfo], { keyless: 'off' })).not.toThrow();
    const context = { ...inner.context, configuration: { ...inner.context.configuration, ...on } };
    const server = await createServer(context, [{ prefix: '/api/v1/jobs', register: jobReadRoutes }]);
    await server.listen({ host: '0.0.0.0', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const get = ['GET /api/v1/jobs HTTP/1.1', `Host: 127.0.0.1:${port}`];
    expect((await send(get, { to: port })).status).toBe(200);
    if (outside) expect((await send(get, { to: port, address: outside })).status).toBe(401);
    await server.close();
  });

  test.each([
    { ...keyless, HOLDFAST_PUBLIC_URL: 'https://holdfast.example' },
    { ...keyless, HOLDFAST_PUBLIC_URL: 'http://127.0.0.1:7070' },
    { ...keyless, HOLDFAST_HOST: '0.0.0.0' },
    { ...keyless, HOLDFAST_HOST: '::' },
    { ...keyless, HOLDFAST_HOST: outside ?? '192.0.2.1' },
    { ...keyless, HOLDFAST_HOST: 'holdfast.internal' },
  ])('is not started with %j', (env) => {
    expect(() => refuseKeylessInPublic(readConfiguration(env))).toThrow(
      /HOLDFAST_KEYLESS=loopback cannot be used/,
    );
  });

  const hasIpv6 = networkInterfaces().lo?.some(({ address }) => address === '::1');
  test.each(['127.0.0.1', 'localhost', ...(hasIpv6 ? ['::1'] : [])])(
    'is started on %s, and says so',
    async (host) => {
      const database = await createTestDatabase();
      const configuration = readConfiguration({
        ...keyless,
        ...{ HOLDFAST_HOST: host, HOLDFAST_PORT: '0', DATABASE_URL: database.url },
      });
      const said: string[] = [];
      const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
      const opened = await openDatabase(configuration, log, { migrate: false });
      const server = await startServer(configuration, opened, log);
      expect(said.join('')).toContain('programs on this machine need no key');
      expect((await fetch(`${server.address}/api/v1/jobs`)).status).toBe(200);
      await server.close();
      await opened.close();
      await database.drop();
    },
  );
});
