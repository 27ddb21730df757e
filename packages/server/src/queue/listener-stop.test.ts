import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Listener } from './listener.ts';

test('a listener that is stopped while it connects to a server that does not answer stops at once', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const listener = new Listener({ url: `postgresql://a:b@127.0.0.1:${port}/c` }, pino({ level: 'silent' }));
  void listener.start();
  await once(server, 'connection');
  const started = performance.now();
  await listener.stop();
  expect(performance.now() - started).toBeLessThan(5_000);
  for (const socket of sockets) socket.destroy();
  server.close();
});
