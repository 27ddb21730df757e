import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HoldfastError } from '@holdfast/contract';
import { type ClusterFolder, readText } from './cluster-folder.ts';
import { readPostmaster, removeStalePidFile } from './postmaster.ts';
import { type EmbeddedServer, type StartOutcome, startServer } from './server-process.ts';

const pollMilliseconds = 50;
/** Backends of a killed server exit within a second; one in a long write takes longer. */
const dyingMilliseconds = 15_000;
const changingMilliseconds = 300_000;

/**
 * Returns the port of the running server, and starts the server if it is not running. PostgreSQL's own lock file decides between
 * processes that start it at the same time; the others wait for the winner's server.
 */
export async function runServer(server: EmbeddedServer): Promise<number> {
  const giveUp = Date.now() + changingMilliseconds;
  let dyingSince: number | undefined;
  let port = server.configuredPort || rememberedPort(server.cluster) || (await freePort());
  for (;;) {
    const postmaster = readPostmaster(server.cluster);
    if (postmaster?.status === 'ready') return postmaster.port;
    if (Date.now() > giveUp) throw neverReady(server, postmaster?.pid);
    if (postmaster) {
      await delay(pollMilliseconds);
      continue;
    }
    if (!removeStalePidFile(server.cluster)) {
      await delay(pollMilliseconds);
      continue;
    }
    const outcome = await startServer(server, port);
    if (outcome.result === 'started') {
      rememberPort(server, port);
      server.log.debug({ port, folder: server.cluster.path }, 'Started the embedded PostgreSQL');
      return port;
    }
    // The failure may come from another process's server on the same port or folder: check before judging.
    if (readPostmaster(server.cluster)) continue;
    if (outcome.result === 'port_taken') {
      if (server.configuredPort) throw new HoldfastError('database_port_taken', `127.0.0.1:${port}`);
      port = await freePort();
    } else if (outcome.result === 'other_server' || outcome.result === 'old_server_dying') {
      dyingSince ??= Date.now();
      if (Date.now() - dyingSince > dyingMilliseconds) throw startFailed(server, outcome);
      await delay(pollMilliseconds);
    } else throw startFailed(server, outcome);
  }
}

function startFailed({ cluster }: EmbeddedServer, outcome: StartOutcome & { lines: string }): HoldfastError {
  const detail = `${outcome.lines}\n(log: ${cluster.log})`;
  return new HoldfastError(
    outcome.result === 'disk_full' ? 'data_folder_bad' : 'embedded_start_failed',
    detail,
  );
}

function neverReady({ cluster }: EmbeddedServer, pid: number | undefined): HoldfastError {
  const detail = `process ${pid} has been starting or stopping for ${changingMilliseconds / 60_000} minutes`;
  return new HoldfastError('embedded_start_failed', `${detail} (log: ${cluster.log})`);
}

function rememberedPort(cluster: ClusterFolder): number {
  return Number(readText(cluster.port)) || 0;
}

function rememberPort({ cluster, account }: EmbeddedServer, port: number): void {
  if (rememberedPort(cluster) === port) return;
  rmSync(cluster.port, { force: true });
  writeFileSync(cluster.port, `${port}\n`, { mode: 0o600 });
  account.own(cluster.port);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
