import type { Socket } from 'node:net';
import type { ApiServer } from './api-server.ts';

/**
 * Closes connections on which nothing was ever asked: browsers open them in advance, and Node counts them neither as idle
 * nor as busy, so that a closing server would wait a minute for them.
 */
export function closeSilent(server: ApiServer): void {
  const silent = new Set<Socket>();
  server.server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.server.on('request', ({ socket }) => silent.delete(socket));
  server.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy();
  });
}
