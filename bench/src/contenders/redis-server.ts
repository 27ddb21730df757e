import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const port = 56_379;

/** A Redis that writes its log every second: weaker than the others' commits, and what its users run. */
export class RedisServer {
  readonly url = `redis://127.0.0.1:${port}`;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  static isInstalled(): boolean {
    return !spawnSync('redis-server', ['--version']).error;
  }

  /** Calls `use` with the url of a new Redis, and ends it afterwards: whatever it still writes falls on nobody else. */
  static async use<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
    const server = await RedisServer.start();
    try {
      return await use(server.url);
    } finally {
      await server.stop();
    }
  }

  private static async start(): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-redis-'));
    const options = {
      port,
      bind: '127.0.0.1',
      dir: folder,
      save: '',
      appendonly: 'yes',
      appendfsync: 'everysec',
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn('redis-server', args, { stdio: 'ignore' });
    const server = new RedisServer(child, folder);
    while (!(await answers())) {
      if (child.exitCode !== null) throw new Error(`redis-server ended with code ${child.exitCode}`);
      await delay(20);
    }
    return server;
  }

  private async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function answers(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
