import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot, Holdfast, HoldfastConnectionError, HoldfastTimeoutError } from '@holdfast/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Answers as far as the path says, and then no further. */
let server: Server;
const asFarAs: Record<string, (response: ServerResponse) => void> = {
  '/connection': () => {},
  '/head': (response) => response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
  '/body': (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"data": ['),
  '/refusal': (response) => response.writeHead(500).write('{"error": {'),
};
beforeAll(async () => {
  server = createServer((request, response) => {
    const [, path = ''] = /^(\/\w+)\/api/.exec(request.url ?? '') ?? [];
    asFarAs[path]?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const address = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

const timeoutMs = 20;
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no failure',
    (error: unknown) => error,
  );
const refused = () =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  });
const fetches: [string, typeof fetch][] = [
  ['a fetch that does not listen to its signal', () => new Promise(() => {})],
  ['a connection that is refused as time runs out', (_, init) => rejectWhenAborted(init?.signal)],
  ['a connection that is refused to a process that was busy until time was up', () => rejectAfterBusyTime()],
  ['a body that does not listen to the signal', async () => new Response(new ReadableStream())],
];

async function rejectWhenAborted(signal: AbortSignal | null | undefined): Promise<never> {
  if (!signal) throw new Error('there is no signal');
  await once(signal, 'abort');
  throw refused();
}

/** The timer has no chance to ring before the rejection is heard of. */
async function rejectAfterBusyTime(): Promise<never> {
  for (const start = performance.now(); performance.now() < start + timeoutMs; );
  throw refused();
}

describe('a time limit', () => {
  test.each(Object.keys(asFarAs))('is reported as such when no more comes after the %s', async (path) => {
    const holdfast = new Holdfast({ baseUrl: address(path), timeoutMs, retries: 0 });
    const error = await failureOf(holdfast.jobs.list().firstPage());
    expect(error).toBeInstanceOf(HoldfastTimeoutError);
    expect(error).toMatchObject({ message: expect.stringContaining('within 20 ms') });
  });

  test.each(fetches)('is reported as such with %s', async (_, send) => {
    const holdfast = new Holdfast({ baseUrl: 'http://api.example', timeoutMs, retries: 0, fetch: send });
    expect(await failureOf(holdfast.jobs.list().firstPage())).toBeInstanceOf(HoldfastTimeoutError);
  });

  test.each([
    ['connecting', { code: 'UND_ERR_CONNECT_TIMEOUT' }],
    ['the system', { code: 'ETIMEDOUT' }],
    ['the head', { code: 'UND_ERR_HEADERS_TIMEOUT' }],
    ['a signal', { name: 'TimeoutError' }],
  ])('of %s itself is one too', async (_, fields) => {
    const cause = Object.assign(new Error('took too long'), fields);
    const send = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const holdfast = new Holdfast({ baseUrl: 'http://api.example', retries: 0, fetch: send });
    expect(await failureOf(holdfast.jobs.list().firstPage())).toBeInstanceOf(HoldfastTimeoutError);
  });

  test('that was not reached is not blamed for a refused connection', async () => {
    const send = () => Promise.reject(refused());
    const holdfast = new Holdfast({ baseUrl: 'http://api.example', retries: 0, fetch: send });
    const error = await failureOf(holdfast.jobs.list().firstPage());
    expect(error).toBeInstanceOf(HoldfastConnectionError);
    expect(error).not.toBeInstanceOf(HoldfastTimeoutError);
  });

  test('is heard of by who follows a stream, and by who runs a bot', async () => {
    const leaving = new AbortController();
    const heard = new Promise((resolve) => {
      const holdfast = new Holdfast({ baseUrl: address('/head') });
      const options = { silenceMs: timeoutMs, onDisconnect: resolve, signal: leaving.signal };
      void failureOf(holdfast.events.stream({}, options).next());
    });
    expect(await heard).toBeInstanceOf(HoldfastTimeoutError);
    leaving.abort();

    const connection = { baseUrl: address('/connection'), token: 'hf_any', botId: 'b', timeoutMs };
    const reported = new Promise((resolve) => {
      const bot = new Bot({ ...connection, onError: (error) => resolve({ bot, error }) });
      void bot.run(() => Promise.reject(new Error('there is no job')));
    });
    const { bot, error } = (await reported) as { bot: Bot; error: unknown };
    expect(error).toBeInstanceOf(HoldfastTimeoutError);
    await bot.stop();
  });
});
