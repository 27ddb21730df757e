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

/** For a small machine, with full durability (fsync and synchronous_commit stay on). */
const standardSettings = {
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // WAL files kept for reuse. A burst of 100,000 jobs writes 150 MB; with the default of 80 MB it would zero-fill new files and
  // wait for the disk for each.
  min_wal_size: '512MB',
  // Dead rows of the queue accumulate within seconds; the default is a minute.
  autovacuum_naptime: '10s',
  timezone: 'UTC',
  // Keeps failed statements, which contain URLs and page text, out of the server's log.
  log_min_error_statement: 'panic',
};

/**
 * Creates the cluster beside its final place and moves it there with one rename. Of several processes that do this at once one
 * wins, and the others delete their drafts; the draft of a killed process is removed by the next one.
 * Returns whether this process won.
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
    // Sorts by code point, so that indexes survive changes of the system's locales, and still maps the case of all letters.
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
  throw new HoldfastError('embedded_start_failed', `initdb exited with code ${code}: ${tail}`, {
    hint: 'See the output of initdb in the message.',
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
      // Its initdb has survived it and is still writing; a later creation removes the folder.
    }
  }
}
