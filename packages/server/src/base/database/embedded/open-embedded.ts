import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Configuration, HoldfastError } from '@holdfast/contract';
import type { Logger } from 'pino';
import {
  type ClusterFolder,
  clusterFolder,
  dataFolderBad,
  openDataFolder,
  readText,
} from './cluster-folder.ts';
import { createCluster, embeddedUser } from './create-cluster.ts';
import { type EmbeddedBinaries, embeddedBinaries, linkLibraries } from './embedded-binaries.ts';
import { Presence } from './presence.ts';
import { serverAccount } from './server-account.ts';
import type { EmbeddedServer } from './server-process.ts';

const databaseName = 'holdfast';

export interface Embedded {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly presence: Presence;
}

/** Creates, starts or joins the embedded server of the data folder. Call `presence.leave()` at the end. */
export async function openEmbedded(
  configuration: Pick<Configuration, 'dataFolder' | 'databasePort'>,
  log: Logger,
  settings: Readonly<Record<string, string>> = {},
  onCreated: (folder: string) => void = () => {},
): Promise<Embedded> {
  const binaries = embeddedBinaries();
  linkLibraries(binaries.root);
  const folder = openDataFolder(configuration.dataFolder);
  const cluster = clusterFolder(join(folder, 'cluster'));
  const programs = [binaries.initdb, binaries.pgCtl, binaries.postgres];
  if (!existsSync(cluster.path)) {
    const isOurs = await createCluster(cluster, binaries, serverAccount(cluster.data, [folder], programs));
    if (isOurs) {
      log.info(`Created a new database in ${folder}`);
      onCreated(folder);
    }
  }
  checkVersion(cluster, binaries);
  const account = serverAccount(cluster.data, [cluster.path], programs);
  const configuredPort = configuration.databasePort;
  const server: EmbeddedServer = { cluster, binaries, account, configuredPort, settings, log };
  const presence = await Presence.enter(server);
  try {
    await createDatabase(presence);
  } catch (error) {
    await presence.leave();
    throw error;
  }
  const password = readText(cluster.password) ?? '';
  return { user: embeddedUser, password, database: databaseName, presence };
}

function checkVersion(cluster: ClusterFolder, binaries: EmbeddedBinaries): void {
  let found: string | undefined;
  try {
    found = readText(join(cluster.data, 'PG_VERSION'));
    readText(cluster.password);
  } catch (error) {
    throw dataFolderBad(cluster.path, error);
  }
  if (found === binaries.major) return;
  if (found === undefined) {
    throw new HoldfastError('data_folder_bad', `${cluster.data} contains no PostgreSQL data`);
  }
  throw new HoldfastError(
    'data_version_mismatch',
    `${cluster.data} belongs to PostgreSQL ${found}; this version of Holdfast includes PostgreSQL ${binaries.major}`,
  );
}

async function createDatabase({ client }: Presence): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [databaseName]);
  if (rowCount) return;
  try {
    await client.query(`CREATE DATABASE ${databaseName}`);
  } catch (error) {
    // duplicate_database, or unique_violation if another process is creating it
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}
