import pg from 'pg';
import type { Logger } from 'pino';
import { outageOf } from '../telemetry/outage-log.ts';
import { clientClass } from './failover-client.ts';
import { leaveUnnamed } from './leave-unnamed.ts';
import { limitSession, sessionSettings } from './session-settings.ts';
import { valueParsers } from './value-parsers.ts';

export interface PoolOptions {
  /** Shown in pg_stat_activity as `holdfast <name>`. */
  readonly name?: string;
  readonly max?: number;
  /** Whoever uses the embedded server last stops it; a process that still needs it then brings it back, and says so. */
  readonly isEmbedded?: boolean;
  /** Called once when a pooler such as PgBouncer turns out to stand between us and the server. */
  readonly onPooler?: () => void;
}

const adminShutdown = '57P01';

/** A pool that outlives every outage of its server. `target`: a connection string, or host, port and so on. */
export function createPool(target: pg.PoolConfig, log: Logger, options: PoolOptions = {}): pg.Pool {
  let poolerReported = false;
  const pool = new pg.Pool({
    ...target,
    Client: clientClass(target.connectionString),
    application_name: `holdfast ${options.name ?? 'session'}`,
    max: options.max ?? 10,
    types: valueParsers,
    // What is sent together on one connection goes out at once; see Pipeline.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    // Later than the server's own limit: it is for a server that is gone without a word, where TCP waits 15 minutes.
    query_timeout: sessionSettings.statement_timeout + 10_000,
    onConnect: async (client) => {
      const direct = await limitSession(client);
      if (direct) return;
      leaveUnnamed(client);
      if (poolerReported) return;
      poolerReported = true;
      options.onPooler?.();
    },
  });
  const report = (error: Error & { code?: string }) => {
    // The server may be stopped, by us as well, before it has read that we leave.
    if (pool.ending || (options.isEmbedded && error.code === adminShutdown)) return;
    log.warn({ reason: error.message, code: error.code }, 'A database connection was lost');
  };
  pool.on('error', report);
  // The pool listens to idle connections only; one that dies between two queries of a transaction would end us.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    outageOf(log)?.over(log);
  });
  // One connection may be lost while the others serve: then no new one says that the database is there.
  pool.on('release', (error) => {
    if (!error) outageOf(log)?.over(log);
  });
  return pool;
}
