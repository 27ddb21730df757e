import pg from 'pg';
import { serversOf } from './database-address.ts';

/** Time for a server to answer whether it accepts writes. */
const probeMs = 3_000;

/**
 * The class of client for a connection string. If it names several servers, each new connection goes to the one that accepts
 * writes at that moment, so that after a failover the next attempt finds the promoted standby. A separate connection asks the
 * server first: connections are few and long-lived, and one to a standby would fail only at its first write.
 */
export function clientClass(url: string | undefined): typeof pg.Client {
  const servers = url === undefined ? [] : serversOf(url);
  return servers.length > 1 ? clientOf(servers) : pg.Client;
}

type Connected = (error: Error) => void;

function clientOf(servers: readonly string[]): typeof pg.Client {
  class FollowingClient extends pg.Client {
    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, connectionString: servers[0] });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connecting = findPrimary(servers).then((server) => {
        const { host, port } = new pg.Client({ connectionString: server });
        Object.assign(this, { host, port });
        return super.connect();
      });
      if (!callback) return connecting as Promise<pg.Client>;
      // The driver's own callers expect no argument on success.
      const connected = callback as (error?: Error) => void;
      connecting.then(() => connected(), callback);
      return undefined;
    }
  }
  return FollowingClient;
}

async function findPrimary(servers: readonly string[]): Promise<string> {
  let last: unknown;
  for (const server of servers) {
    try {
      if (await acceptsWrites(server)) return server;
    } catch (error) {
      last = error;
    }
  }
  // cannot_connect_now, which callers retry.
  throw Object.assign(new Error('none of the servers accepts writes', { cause: last }), { code: '57P03' });
}

async function acceptsWrites(server: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: server,
    connectionTimeoutMillis: probeMs,
    query_timeout: probeMs,
    application_name: 'holdfast probe',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    return rows[0]?.standby === false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
