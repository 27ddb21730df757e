import { linkSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterFolder, readText } from './cluster-folder.ts';

const abandonedMilliseconds = 5_000;

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping';
}

/** The running server of this cluster, according to postmaster.pid; undefined if none is running. */
export function readPostmaster(cluster: ClusterFolder): Postmaster | undefined {
  const postmaster = parsePidFile(cluster);
  return postmaster && runsCluster(postmaster.pid, cluster) ? postmaster : undefined;
}

/**
 * Removes the pid file of a dead server. Returns whether there is none left. PostgreSQL would take the file over, but not if
 * its pid now belongs to another program (pids are small in a restarted container). And of two servers that start at the same
 * time, one can take over the file that the other has just created, which then runs without a file, found by nobody.
 */
export function removeStalePidFile(cluster: ClusterFolder): boolean {
  const stale = parsePidFile(cluster);
  if (!stale || runsCluster(stale.pid, cluster)) return true;
  return removePidFileOf(stale.pid, cluster);
}

/**
 * Several processes may try to remove the same file, and the first may have started a server before the last gets to it. That
 * server's file must never be missing, or the server could not report that it is ready. So the file is first linked under a
 * second name, which only one process can create, and checked there. Returns false if another process holds that name.
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
    // Without hard links, checking and removing is the best there is.
    if (code !== 'ENOENT' && Number.parseInt(readText(path) ?? '', 10) === pid) rmSync(path, { force: true });
    return true;
  }
  try {
    const isSame = statSync(held).ino === statSync(path).ino;
    if (isSame && Number.parseInt(readFileSync(held, 'utf8'), 10) === pid) rmSync(path);
  } catch {
    // PostgreSQL took the file over at this moment.
  }
  rmSync(held, { force: true });
  return true;
}

/** Removes the second name that a killed process left behind. */
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
  // The server writes line by line while it starts; the status comes last.
  const status = lines[7]?.trim();
  const known = status === 'ready' || status === 'stopping' ? status : 'starting';
  return { pid, port: Number(lines[3] ?? 0), status: known };
}

/** False only if it is certain: the process is gone, a zombie, not PostgreSQL, or PostgreSQL in another folder. */
export function runsCluster(pid: number, cluster: ClusterFolder): boolean {
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
    return isAlive(pid); // Not permitted to look (a container without ptrace): trust the file.
  }
}
