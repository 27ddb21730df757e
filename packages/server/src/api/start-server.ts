import { type Configuration, refuseKeylessInPublic, settings } from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Database } from '../base/database/open-database.ts';
import { listenError } from '../base/process/listen-address.ts';
import { runPeriodically } from '../base/process/periodic-task.ts';
import { SecretKeys } from '../base/secrets/secret-keys.ts';
import { SecretStore } from '../base/secrets/secret-store.ts';
import { Metrics } from '../base/telemetry/metrics.ts';
import { KeyDirectory } from '../queue/access/key-directory.ts';
import { pruneUsage } from '../queue/access/key-quotas.ts';
import { Listener, Notifier } from '../queue/jobs/notifications.ts';
import { pruneBots } from '../shop/bots/bot-registry.ts';
import { createServer } from './create-server.ts';
import { refuseOpenListener } from './keyless.ts';
import type { ApiContext } from './route-group.ts';

export interface Server {
  readonly address: string;
  /** Reports not ready, but still answers requests. */
  drain(): void;
  /** Lets requests in flight finish, up to a limit. */
  close(): Promise<void>;
}

const closingMs = 10_000;
const poolSize = 10;
const pruneEverySeconds = 3600;

export async function startServer(
  configuration: Configuration,
  database: Database,
  log: Logger,
  { sampleSite }: Pick<ApiContext, 'sampleSite'> = {},
): Promise<Server> {
  refuseKeylessInPublic(configuration);
  // A pool of its own: waiting requests must not keep the supervisor of this process from renewing leases.
  const pool = database.openPool({ name: 'api', max: poolSize });
  const { host, port } = configuration;
  const draining = new AbortController();
  const stopping = new AbortController();
  const listener = new Listener(database, log);
  const metrics = new Metrics();
  const server = await createServer({
    configuration,
    database: {
      pool,
      get url() {
        return database.url;
      },
      get describe() {
        return database.describe;
      },
    },
    pool,
    log,
    notifier: new Notifier(pool),
    listener,
    secrets: new SecretStore(new SecretKeys(configuration)),
    keys: new KeyDirectory(pool, log),
    metrics,
    draining: draining.signal,
    stopping: stopping.signal,
    ...(sampleSite !== undefined && { sampleSite }),
  });
  const pruning = runPeriodically('Pruning keys and bots', pruneEverySeconds, log, async () => {
    await pruneUsage(pool);
    await pruneBots(pool);
  });
  const drain = () => draining.abort();
  const close = async () => {
    drain();
    stopping.abort();
    await pruning.stop();
    const timer = setTimeout(() => server.server.closeAllConnections(), closingMs);
    await server.close().finally(() => clearTimeout(timer));
    await listener.stop();
    metrics.close();
  };
  try {
    await listener.start();
    const address = await server.listen({ host, port });
    refuseOpenListener(server.addresses(), configuration);
    if (configuration.keyless === 'loopback')
      log.warn(`${settings.keyless.env}=loopback: programs on this machine need no key`);
    return { address, drain, close };
  } catch (error) {
    await close();
    throw await listenError(error, host, port);
  }
}
