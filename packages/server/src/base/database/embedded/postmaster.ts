import { linkSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterFolder, readText } from './cluster-folder.ts';

const abandonedMilliseconds = 5_000;

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping';
}

/** The running server of this cluster, as it says itself in postmaster.pid; undefined when none runs. */
export function readPostmaster(cluster: ClusterFolder): Postmaster | undefined {
  const postmaster = parsePidFile(cluster);
  return postmaster && runsCluster(postmaster.pid, cluster) ? postmaster : undefined;
}

/**
 * Removes the pid file of a dead server, and tells whether it is gone. PostgreSQL would take the file over, but not when
 * its pid belongs to another program by now (pids are small in a restarted container). And of two servers that start at
 * once, one can take over the file that the other has just made: that one then runs without a file, and nobody finds it.
 */
export function removeStalePidFile(cluster: ClusterFolder): boolean {
  const stale = parsePidFile(cluster);
  if (!stale || runsCluster(stale.pid, cluster)) return true;
  return removePidFileOf(stale.pid, cluster);
}

/**
 * Several processes may come to remove the same file, and the first may have started a server before the last gets to it.
 * That server's file must not be away for a moment: it could not say then that it is ready. So whoever removes holds the
 * file under a second name, which only one can make, and looks whose it is. False: another process is at it.
 */
export function removePidFileOf(pid: number, cluster: ClusterFolder): boolean {
  const path = join(cluster.data, 'postmaster.pid');
  const held = `${path}.stale`;
  try {
    linkSync(path, held);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      forgetAbandoned(held);
      return false;
    }
    // On a file system without hard links there is no better way than to look and remove.
    if (code !== 'ENOENT' && Number.parseInt(readText(path) ?? '', 10) === pid) rmSync(path, { force: true });
    return true;
  }
  try {
    const isSame = statSync(held).ino === statSync(path).ino;
    if (isSame && Number.parseInt(readFileSync(held, 'utf8'), 10) === pid) rmSync(path);
  } catch {
    // PostgreSQL took the file over this very moment.
  }
  rmSync(held, { force: true });
  return true;
}

/** Of a process that was killed between the two. */
function forgetAbandoned(held: string): void {
  const since = statSync(held, { throwIfNoEntry: false })?.ctimeMs;
  if (since !== undefined && Date.now() - since > abandonedMilliseconds) rmSync(held, { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function parsePidFile(cluster: ClusterFolder): Postmaster | undefined {
  const lines = readText(join(cluster.data, 'postmaster.pid'))?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!(pid > 0)) return undefined;
  // The lines come one by one while the server starts; the status is the last of them.
  const status = lines[7]?.trim();
  const known = status === 'ready' || status === 'stopping' ? status : 'starting';
  return { pid, port: Number(lines[3] ?? 0), status: known };
}

/** False only when it is certain: the process is gone, a zombie, not PostgreSQL, or PostgreSQL in another folder. */
function runsCluster(pid: number, cluster: ClusterFolder): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return isAlive(pid);
  }
  if (!/^Name:\tpostgres$/m.test(status) || /^State:\tZ/m.test(status)) return false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster.data;
  } catch {
    return isAlive(pid); // Not ours to look at (a container without ptrace): believe the file.
  }
}
