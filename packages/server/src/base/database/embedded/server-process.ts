import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { dataFolderBad } from './cluster-folder.ts';
import type { EmbeddedServer } from './embedded-server.ts';
import { readPostmaster } from './postmaster.ts';
import { cannotRun, spawnServerProgram } from './server-program.ts';

export type StartOutcome =
  | { readonly result: 'started' }
  | {
      readonly result: 'other_server' | 'port_taken' | 'old_server_dying' | 'disk_full' | 'failed';
      readonly lines: string;
    };

const logLimit = 10 * 1024 * 1024;
const pollMilliseconds = 20;

/**
 * One try to start the server on a port. `postgres` is started directly rather than by pg_ctl, because knowing its pid
 * tells our own messages in the log from those of other processes that try at the same moment. It leads its own
 * session, so a Ctrl-C in our terminal does not reach it, and holds none of our pipes, so we can exit before it.
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
  // However long recovery takes: a server that lives and is not ready is at work.
  while (!ended && !spawnError) {
    const listens = logged().some((line) => ofChild(line) && /listening on/.test(line));
    const postmaster = readPostmaster(cluster);
    const isFound = postmaster !== undefined && postmaster.pid === child.pid;
    if (isFound && postmaster.status === 'ready') return { result: 'started' };
    // It makes its pid file before it listens. Without the file nobody finds it, and it ends by itself only after a minute.
    if (listens && !isFound) {
      child.kill('SIGQUIT');
      return { result: 'other_server', lines: 'the pid file of the started server was taken away' };
    }
    await delay(pollMilliseconds);
  }
  if (spawnError) throw cannotRun(server.binaries.postgres, spawnError);
  const lines = logged();
  const own = lines.filter(ofChild);
  // Messages from before the server has a log format (of the loader, of setpriv) carry no pid.
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

/** Returns where the next line will stand. */
function rotateLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < logLimit) return size;
  try {
    renameSync(path, `${path}.1`);
  } catch {
    // Another process that starts the server was faster.
  }
  return 0;
}
