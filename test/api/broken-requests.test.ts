import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ApiFixture } from '../api-fixture/api-fixture.ts';

const api = new ApiFixture();

async function send(bytes: string): Promise<{ status: number; code: string }> {
  const address = await api.server.listen({ port: 0 }).catch(() => api.server.listeningOrigin);
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.write(bytes);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'close');
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
  return { status: Number(status), code: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)).error.code };
}

test.each([
  ['what is not HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ['a header line without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n', 400, 'bad_request'],
  [
    '100 KB of headers',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
    431,
    'request_too_large',
  ],
])('%s is answered in the shape of all errors', async (_case, bytes, status, code) => {
  expect(await send(bytes)).toEqual({ status, code });
});
