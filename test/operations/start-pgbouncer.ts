import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

export interface PgBouncer {
  readonly url: string;
  /** Everything that it said. */
  readonly log: () => string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode before the database of `url`, with few connections, so that clients do share them. */
export async function startPgBouncer(program: string, url: string): Promise<PgBouncer> {
  const target = new URL(url);
  const database = target.pathname.slice(1);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pgbouncer-'));
  chmodSync(folder, 0o755);
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
${database} = host=${target.hostname} port=${target.port} dbname=${database} user=${target.username} password=${target.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
server_round_robin = 1
`,
  );
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, [...account, configuration], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log += `${line}\n`;
      if (line.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(log)));
  });
  const own = new URL(url);
  own.port = String(port);
  return {
    url: own.href,
    log: () => log,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
