import { type Configuration, HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createPool, type PoolOptions } from './create-pool.ts';
import { databaseAddress, databaseUnavailable } from './database-address.ts';
import { type Embedded, openEmbedded } from './embedded/open-embedded.ts';
import { migrate } from './migrate.ts';

const oldestServer = 140_000;

export interface Database {
  readonly pool: pg.Pool;
  /** For child processes and tools. Contains the password: never log it. */
  readonly url: string;
  /** For people, without secrets. */
  readonly describe: string;
  readonly serverVersion: string;
  /** Whether a pooler such as PgBouncer is in between: LISTEN and other session state are unreliable. */
  readonly pooled: boolean;
  /** Opens another pool on the same server, so that its users do not compete for the connections of this one. */
  openPool(options: Pick<PoolOptions, 'name' | 'max'>): pg.Pool;
  /** Closes the pools, and stops the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

export interface OpenOptions extends Omit<PoolOptions, 'onPooler' | 'isEmbedded'> {
  /** false: leaves the schema as it is. */
  readonly migrate?: boolean;
  readonly migrationsFolder?: string;
  /** Settings of the embedded server, if this process starts it. */
  readonly embeddedSettings?: Readonly<Record<string, string>>;
  /** Called if this process created the embedded database. */
  readonly onCreated?: (folder: string) => void;
}

export type DatabaseConfiguration = Pick<Configuration, 'databaseUrl' | 'dataFolder' | 'databasePort'>;

/** Opens the database of every command: DATABASE_URL, or the embedded server of the data folder. */
export async function openDatabase(
  configuration: DatabaseConfiguration,
  log: Logger,
  options: OpenOptions = {},
): Promise<Database> {
  const { databaseUrl } = configuration;
  if (databaseUrl) return await connect({ url: databaseUrl }, configuration, log, options);
  const embedded = await openEmbedded(configuration, log, options.embeddedSettings, options.onCreated);
  try {
    return await connect({ embedded }, configuration, log, options);
  } catch (error) {
    await embedded.presence.leave();
    throw error;
  }
}

type Source = { readonly url: string; readonly embedded?: never } | { readonly embedded: Embedded };

async function connect(
  source: Source,
  { dataFolder }: DatabaseConfiguration,
  log: Logger,
  options: OpenOptions,
): Promise<Database> {
  const url = () => (source.embedded ? embeddedUrl(source.embedded) : source.url);
  const address = databaseAddress(url());
  let pooled = false;
  const onPooler = () => {
    if (pooled) return;
    pooled = true;
    log.info('Connected through a pooler: set statement_timeout and lock_timeout with ALTER ROLE … SET');
  };
  const pools: pg.Pool[] = [];
  const openPool = (poolOptions: Pick<PoolOptions, 'name' | 'max'>) => {
    const opened = createPool(poolTarget(source), log, {
      ...poolOptions,
      onPooler,
      isEmbedded: source.embedded !== undefined,
    });
    pools.push(opened);
    return opened;
  };
  const pool = openPool(options);
  if (source.embedded) {
    source.embedded.presence.onMove = (port) => {
      for (const { options: target } of pools) target.port = port;
    };
  }
  try {
    const serverVersion = await readServerVersion(pool).catch((error) => {
      throw error instanceof HoldfastError ? error : databaseUnavailable(error, address);
    });
    if (options.migrate !== false) {
      const { applied, version } = await migrate(pool, options.migrationsFolder);
      if (applied.length > 0) {
        log.info(`Migrated the database schema to version ${version}`);
        log.debug({ applied }, 'Applied migrations');
      }
    }
    let closed: Promise<void> | undefined;
    return {
      pool,
      serverVersion,
      get url() {
        return url();
      },
      get pooled() {
        return pooled;
      },
      get describe() {
        return source.embedded
          ? `embedded PostgreSQL ${serverVersion} in ${dataFolder} (port ${source.embedded.presence.port})`
          : `PostgreSQL ${serverVersion} at ${address.host}:${address.port}, database ${address.database}`;
      },
      openPool,
      close: () => {
        closed ??= Promise.all(pools.map((opened) => opened.end()))
          .then(() => {})
          .finally(() => source.embedded?.presence.leave());
        return closed;
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

function poolTarget(source: Source): pg.PoolConfig {
  if (!source.embedded) return { connectionString: source.url };
  const { user, password, database, presence } = source.embedded;
  return { host: '127.0.0.1', port: presence.port, user, password, database };
}

function embeddedUrl({ user, password, database, presence }: Embedded): string {
  return `postgresql://${user}:${password}@127.0.0.1:${presence.port}/${database}`;
}

async function readServerVersion(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  const { number = 0, version = 'unknown' } = rows[0] ?? {};
  if (number < oldestServer)
    throw new HoldfastError('database_too_old', `the server is PostgreSQL ${version}`);
  // Distributions append their own version: "16.4 (Debian 16.4-1.pgdg120+1)".
  return version.split(' ')[0] ?? version;
}
