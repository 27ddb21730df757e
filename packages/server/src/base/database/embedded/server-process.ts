import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ClusterFolder, dataFolderBad } from './cluster-folder.ts';
import type { EmbeddedBinaries } from './embedded-binaries.ts';
import { readPostmaster, runsCluster } from './postmaster.ts';
import type { ServerAccount } from './server-account.ts';
import { cannotRun, runServerProgram, spawnServerProgram } from './server-program.ts';

/** The server of one data folder, and how to start it. */
export interface EmbeddedServer {
  readonly cluster: ClusterFolder;
  readonly binaries: EmbeddedBinaries;
  readonly account: ServerAccount;
  /** 0: the port of the last start, or any free one. */
  readonly configuredPort: number;
  /** Settings that override postgresql.conf, if this process starts the server. */
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Logger;
}

export type StartOutcome =
  | { readonly result: 'started' }
  | {
      readonly result: 'other_server' | 'port_taken' | 'old_server_dying' | 'disk_full' | 'failed';
      readonly lines: string;
    };

const logLimit = 10 * 1024 * 1024;
const pollMilliseconds = 20;
const stoppingMilliseconds = 120_000;

/**
 * Makes one attempt to start the server on a port. Starts `postgres` directly instead of through pg_ctl, because the pid
 * tells its messages in the log from those of other attempts at the same moment. The server leads its own session, so that
 * Ctrl-C in the terminal does not reach it, and holds none of our pipes, so that this process can exit first.
 */
export async function startServer(server: EmbeddedServer, port: number): Promise<StartOutcome> {
  const { cluster, account } = server;
  const logStart = rotateLog(cluster.log);
  const log = openLog(server);
  const child = spawnServerProgram(account, server.binaries.postgres, serverArguments(server, port), {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  let ended = false;
  let spawnError: unknown;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', (error) => {
    spawnError = error;
  });
  const logged = () => readFileSync(cluster.log).subarray(logStart).toString().trim().split('\n');
  const ofChild = (line: string) => line.includes(`[${child.pid}]`);
  // No time limit: a live server that is not ready is recovering.
  while (!ended && !spawnError) {
    const listens = logged().some((line) => ofChild(line) && /listening on/.test(line));
    const postmaster = readPostmaster(cluster);
    const isFound = postmaster !== undefined && postmaster.pid === child.pid;
    if (isFound && postmaster.status === 'ready') return { result: 'started' };
    // The pid file is created before the server listens. Without it nobody finds the server, which exits only after a minute.
    if (listens && !isFound) {
      child.kill('SIGQUIT');
      return { result: 'other_server', lines: 'the pid file of the started server was removed' };
    }
    await delay(pollMilliseconds);
  }
  if (spawnError) throw cannotRun(server.binaries.postgres, spawnError);
  const lines = logged();
  const own = lines.filter(ofChild);
  // Messages of the loader and of setpriv precede the server's log format and carry no pid.
  return explain(own.length > 0 ? own : lines);
}

function serverArguments({ cluster, settings }: EmbeddedServer, port: number): string[] {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings, port: String(port) };
  return ['-D', cluster.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function explain(messages: readonly string[]): StartOutcome {
  const says = (pattern: RegExp) => messages.some((line) => pattern.test(line));
  const lines = messages.slice(-8).join('\n');
  if (says(/lock file ".*" already exists|lock file ".*" is empty/)) return { result: 'other_server', lines };
  if (says(/Address already in use|could not create any TCP\/IP sockets/))
    return { result: 'port_taken', lines };
  if (says(/pre-existing shared memory block/)) return { result: 'old_server_dying', lines };
  if (says(/No space left on device|Disk quota exceeded/)) return { result: 'disk_full', lines };
  return { result: 'failed', lines };
}

function openLog({ cluster, account }: EmbeddedServer): number {
  try {
    const log = openSync(cluster.log, 'a', 0o600);
    account.own(cluster.log);
    return log;
  } catch (error) {
    throw dataFolderBad(cluster.path, error);
  }
}

/** Returns the offset of the next line. */
function rotateLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < logLimit) return size;
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // Another process that is starting the server was faster.
  }
  return 0;
}

/**
 * Stops the server and waits for its exit. pg_ctl would wait for the pid file to be gone, and go on waiting for two minutes if
 * another process has started the next server by then.
 */
export async function stopServer({ account, binaries, cluster, log }: EmbeddedServer): Promise<void> {
  const pid = readPostmaster(cluster)?.pid;
  if (pid === undefined) return;
  const args = ['stop', '-D', cluster.data, '-m', 'fast', '--no-wait'];
  const { code, output } = await runServerProgram(account, binaries.pgCtl, args);
  const giveUp = Date.now() + stoppingMilliseconds;
  while (code === 0 && runsCluster(pid, cluster) && Date.now() < giveUp) await delay(pollMilliseconds);
  if (!runsCluster(pid, cluster)) log.debug({ folder: cluster.path }, 'Stopped the embedded PostgreSQL');
  else log.warn({ folder: cluster.path, reason: output }, 'Could not stop the embedded PostgreSQL');
}
