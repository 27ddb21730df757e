import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePage, pathOf, siteLinks } from './page-maker.ts';

/** nginx with a folder of generated pages; undefined where it is not installed. */
export async function startNginx(pages: number): Promise<Nginx | undefined> {
  if (spawnSync('nginx', ['-v']).error) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-site-'));
  writePages(join(folder, 'site'), pages);
  const port = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port));
  const child = spawn('nginx', [
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
    '-e',
    join(folder, 'error.log'),
  ]);
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with code ${child.exitCode}`);
    await delay(20);
  }
  return new Nginx(child, folder, port);
}

class Nginx {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.port = port;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** One worker, as much as a machine of two cores can give it, and no log. */
function configuration(folder: string, port: number): string {
  return `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  open_file_cache max=10000;
  types { text/html html; }
  charset utf-8;
  client_body_temp_path ${folder}/temp; proxy_temp_path ${folder}/temp; fastcgi_temp_path ${folder}/temp;
  uwsgi_temp_path ${folder}/temp; scgi_temp_path ${folder}/temp;
  server { listen 127.0.0.1:${port}; root ${folder}/site; }
}
`;
}

function writePages(folder: string, pages: number): void {
  const links = siteLinks(pages);
  for (let page = 0; page < pages; page++) {
    const path = join(folder, page === 0 ? 'index.html' : pathOf(page));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, makePage(page, links).html);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
