import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Listener } from './notifications.ts';

test('a listener that is stopped while it connects to a server that does not answer stops at once, and complains of nothing', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const listener = new Listener({ url: `postgresql://a:b@127.0.0.1:${port}/c` }, log);
  void listener.start();
  await once(server, 'connection');
  const started = performance.now();
  await listener.stop();
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(lines).toEqual([]);
  for (const socket of sockets) socket.destroy();
  server.close();
});
