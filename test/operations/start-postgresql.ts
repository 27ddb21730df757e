import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const installed = '/usr/lib/postgresql';

/** The folder of the newest PostgreSQL of Debian, with server and tools of one version; the embedded one brings no pg_dump. */
export function findPostgresql(): string | undefined {
  if (!existsSync(installed)) return undefined;
  return readdirSync(installed)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(installed, version, 'bin'))
    .find((folder) =>
      ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'].every((name) => existsSync(join(folder, name))),
    );
}

export interface Postgresql {
  /** Of a database that exists, and is empty. */
  url(database: string): Promise<string>;
  stop(): Promise<void>;
}

/** A server with the settings it comes with, in a folder of its own. */
export async function startPostgresql(programs: string): Promise<Postgresql> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgresql-'));
  chmodSync(folder, 0o755);
  const account = serverAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'], {
    ...account,
    cwd: folder,
  });
  const port = await freePort();
  const options = [
    ...['-D', data, '-p', String(port), '-k', folder],
    ...['-c', 'listen_addresses=127.0.0.1'],
  ];
  const server = spawn(join(programs, 'postgres'), options, {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: server.stderr }).on('line', (line) => {
      said.push(line);
      if (line.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(said.join('\n'))));
  });
  return {
    url: async (database) => {
      const url = (name: string) => `postgresql://postgres@127.0.0.1:${port}/${name}`;
      await run(join(programs, 'psql'), [url('postgres'), '-c', `CREATE DATABASE ${database}`]);
      return url(database);
    },
    stop: async () => {
      server.kill('SIGINT');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function serverAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
