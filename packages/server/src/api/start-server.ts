import { type Configuration, HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Database } from '../database/open-database.ts';
import { KeyDirectory } from '../keys/key-directory.ts';
import { Listener } from '../queue/listener.ts';
import { Notifier } from '../queue/notifier.ts';
import { createServer } from './create-server.ts';

export interface Server {
  readonly address: string;
  /** Finishes the requests under way, for a while. */
  close(): Promise<void>;
}

const closingMs = 10_000;

export async function startServer(
  configuration: Configuration,
  database: Database,
  log: Logger,
): Promise<Server> {
  const { pool } = database;
  const { host, port } = configuration;
  const stopping = new AbortController();
  const listener = new Listener(database, log);
  const server = await createServer({
    configuration,
    database,
    pool,
    log,
    notifier: new Notifier(pool),
    listener,
    keys: new KeyDirectory(pool, log),
    stopping: stopping.signal,
  });
  const close = async () => {
    stopping.abort();
    const timer = setTimeout(() => server.server.closeAllConnections(), closingMs);
    await server.close().finally(() => clearTimeout(timer));
    await listener.stop();
  };
  try {
    await listener.start();
    return { address: await server.listen({ host, port }), close };
  } catch (error) {
    await close();
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
