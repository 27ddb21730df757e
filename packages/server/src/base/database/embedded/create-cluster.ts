import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from '@holdfast/contract';
import { type ClusterFolder, clusterFolder, dataFolderBad, syncFolder } from './cluster-folder.ts';
import type { EmbeddedBinaries } from './embedded-binaries.ts';
import { isAlive } from './postmaster.ts';
import type { ServerAccount } from './server-account.ts';
import { runServerProgram } from './server-program.ts';

export const embeddedUser = 'holdfast';

/** For a small machine, with PostgreSQL's full durability (fsync and synchronous_commit stay on). */
const standardSettings = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // Files of the log that are kept to be written again. With the default of 80 MB a burst of 100,000 jobs, which writes 150 MB,
  // fills new ones with zeros first, and waits for the disk for each.
  min_wal_size: '512MB',
  // Dead rows of the queue pile up within seconds; the default looks once a minute.
  autovacuum_naptime: '10s',
  timezone: 'UTC',
  // The statements of failed queries hold addresses and page text; the server's log is no place for them.
  log_min_error_statement: 'panic',
};

/**
 * Makes the cluster beside its place and renames it there, whole. However many processes do this at once, one rename
 * wins and the others throw theirs away; a process killed amid it leaves a folder that the next one removes.
 * Answers whether it was this one.
 */
export async function createCluster(
  cluster: ClusterFolder,
  binaries: EmbeddedBinaries,
  account: ServerAccount,
): Promise<boolean> {
  removeAbandoned(cluster);
  const draft = clusterFolder(`${cluster.path}.${process.pid}.${randomBytes(4).toString('hex')}.new`);
  try {
    mkdirSync(draft.path, { mode: 0o700 });
    writeFileSync(draft.password, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true });
    account.own(draft.path);
    account.own(draft.password);
    await initialise(draft, binaries, account);
    syncFolder(draft.path);
    return renameIntoPlace(draft, cluster);
  } catch (error) {
    throw error instanceof HoldfastError ? error : dataFolderBad(cluster.path, error);
  } finally {
    rmSync(draft.path, { recursive: true, force: true });
  }
}

async function initialise(
  draft: ClusterFolder,
  binaries: EmbeddedBinaries,
  account: ServerAccount,
): Promise<void> {
  const { code, output } = await runServerProgram(account, binaries.initdb, [
    `--pgdata=${draft.data}`,
    `--username=${embeddedUser}`,
    `--pwfile=${draft.password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorts by code point like C, so no index breaks when the system's locales change, yet knows all letters' cases.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    ...Object.entries(standardSettings).map(([name, value]) => `--set=${name}=${value}`),
  ]);
  if (code === 0) return;
  const lines = output.split('\n');
  const telling = lines.filter((line) => /error|FATAL|No space|denied|Read-only/.test(line));
  const tail = (telling.length > 0 ? telling : lines).slice(-5).join('\n');
  if (/No space left|Disk quota|Permission denied|Read-only file system/.test(output)) {
    throw new HoldfastError('data_folder_bad', `${join(draft.path, '..')}: ${tail}`);
  }
  if (/loading shared libraries|Library not loaded|not found \(required by/.test(output)) {
    throw new HoldfastError('embedded_unsupported', tail);
  }
  throw new HoldfastError('embedded_start_failed', `initdb ended with code ${code}: ${tail}`, {
    hint: 'Read the lines of initdb in the message.',
  });
}

function renameIntoPlace(draft: ClusterFolder, cluster: ClusterFolder): boolean {
  try {
    renameSync(draft.path, cluster.path);
    syncFolder(join(cluster.path, '..'));
    return true;
  } catch (error) {
    if (!existsSync(cluster.data)) throw error;
    return false;
  }
}

function removeAbandoned(cluster: ClusterFolder): void {
  const parent = join(cluster.path, '..');
  for (const name of readdirSync(parent)) {
    const maker = /^cluster\.(\d+)\.\w+\.new$/.exec(name)?.[1];
    if (!maker || isAlive(Number(maker))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // Its initdb outlived it and still writes there; a later creation removes it.
    }
  }
}
