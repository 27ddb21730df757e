import { type Configuration, HoldfastError } from '@holdfast/contract';
import fastify from 'fastify';
import type { Logger } from 'pino';
import type { Database } from '../database/open-database.ts';
import { readStatus } from './read-status.ts';
import { renderStatusPage } from './render-status-page.ts';

export interface Server {
  readonly address: string;
  close(): Promise<void>;
}

export async function startServer(
  { host, port }: Pick<Configuration, 'host' | 'port'>,
  database: Database,
  log: Logger,
): Promise<Server> {
  const server = fastify({ logger: false, forceCloseConnections: true });
  server.get('/', async (_request, reply) => {
    const status = await readStatus(database, log);
    return reply
      .code(status.ready ? 200 : 503)
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .header('x-content-type-options', 'nosniff')
      .send(renderStatusPage(status));
  });
  server.get('/health', async (_request, reply) => {
    const status = await readStatus(database, log);
    return reply.code(status.ready ? 200 : 503).send(status);
  });
  try {
    return { address: await server.listen({ host, port }), close: () => server.close() };
  } catch (error) {
    await server.close();
    throw listenError(error, host, port);
  }
}

function listenError(error: unknown, host: string, port: number): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new HoldfastError('address_taken', `${host}:${port}`);
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
    return new HoldfastError('config_invalid', `cannot listen on ${host}:${port}: ${message}`);
  }
  return error;
}
