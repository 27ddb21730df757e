import pg, { type ClientBase, type QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { outageOf } from '../telemetry/outage-log.ts';
import { clientClass } from './failover-client.ts';
import { valueParsers } from './wire-values.ts';

export interface PoolOptions {
  /** Shown in pg_stat_activity as `holdfast <name>`. */
  readonly name?: string;
  readonly max?: number;
  /** The last user of the embedded server stops it, and a process that still needs it restarts and reports it. */
  readonly isEmbedded?: boolean;
  /** Called once if a pooler such as PgBouncer is found between this process and the server. */
  readonly onPooler?: () => void;
}

const adminShutdown = '57P01';

/** A pool that survives every outage of its server. `target`: a connection string, or host, port and so on. */
export function createPool(target: pg.PoolConfig, log: Logger, options: PoolOptions = {}): pg.Pool {
  let poolerReported = false;
  const pool = new pg.Pool({
    ...target,
    Client: clientClass(target.connectionString),
    application_name: `holdfast ${options.name ?? 'session'}`,
    max: options.max ?? 10,
    types: valueParsers,
    // Queries on one connection are sent without waiting for each other; see Pipeline.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    // Later than the server's own limit: for a server that vanished, where TCP would wait 15 minutes.
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
    // A server that is being stopped, perhaps by this process, cuts off the connections that are about to close.
    if (pool.ending || (options.isEmbedded && error.code === adminShutdown)) return;
    log.warn({ reason: error.message, code: error.code }, 'A database connection was lost');
  };
  pool.on('error', report);
  // The pool handles errors of idle connections only: one that dies between two queries of a transaction would crash us.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    outageOf(log)?.over(log);
  });
  // If one connection was lost while others still work, no new connection will end the outage.
  pool.on('release', (error) => {
    if (!error) outageOf(log)?.over(log);
  });
  return pool;
}

/** Times in milliseconds. A longer statement sets its own limit with SET LOCAL in its transaction. */
const sessionSettings = {
  statement_timeout: 60_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
  // Statements are static and meant for one plan each (plans.test.ts). Planning a claim for its values doubles its cost
  // (2.2 ms of CPU against 1.0), and a batch of 500 can make the planner read the whole table.
  plan_cache_mode: 'force_generic_plan',
  // A session keeps the plan made for an empty table until the next ANALYZE: after 200,000 new jobs, a claim of 500 read them
  // all and took 1.4 s instead of 20 ms. This makes every plan use its index from the start.
  enable_seqscan: 'off',
  // Sequential scans that remain now look so expensive that PostgreSQL would compile their statements.
  jit: 'off',
} as const;

const assignments = Object.entries(sessionSettings)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');

const limitText = `SELECT pg_backend_pid() = $1 AS direct, CASE WHEN pg_backend_pid() = $1 THEN row(${assignments}) END`;

/**
 * Applies the settings to a new session, and returns false if a pooler is in between. PgBouncer refuses connections with such
 * startup parameters, and in transaction mode a SET stays on a server connection that other clients use next. A pooler is
 * recognised by the process id that it announces, which is not the backend's. Then nothing is set: use `ALTER ROLE … SET`.
 */
export async function limitSession(client: ClientBase): Promise<boolean> {
  const { processID } = client as ClientBase & { processID?: number };
  const { rows } = await client.query<{ direct: boolean }>(limitText, [processID ?? 0]);
  return rows[0]?.direct ?? false;
}

/**
 * Makes a client send every statement without its name. A pooler in transaction mode gives each transaction any connection: a
 * prepared statement may be missing there, or exist already because another client prepared it.
 */
function leaveUnnamed(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const unnamed = (config: unknown, ...rest: unknown[]) => query(withoutName(config), ...rest);
  client.query = unnamed as typeof client.query;
}

function withoutName(config: unknown): unknown {
  const isNamed = typeof config === 'object' && config !== null && 'name' in config && !('submit' in config);
  if (!isNamed) return config;
  const { name: _, ...rest } = config as QueryConfig;
  return rest;
}
