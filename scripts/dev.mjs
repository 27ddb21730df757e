// Runs `holdfast up`, and rebuilds and restarts it when a source changes. Options go to it: npm run dev -- --port 7080
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { partsWith } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'packages/server/dist/holdfast.js');
const watched = [
  'packages/contract/src',
  'packages/server/src',
  'packages/server/migrations',
  'packages/sdk/src',
  'packages/console/src',
  'packages/console/public',
];
/** Editors write a file in several steps, and version control writes many files. */
const settleMs = 100;
/** Tests, and what editors write beside a file. */
const isIgnored = /\.test\.tsx?$|~$|\.sw.$/;
/** How often to look whether npm is still there: it ends without passing on the signal. */
const parentMs = 500;

const say = (text) => console.error(`dev: ${text}`);

/** One watcher for each folder: on Linux, Node 20 loses files that are replaced under a recursive one. */
class Folders {
  #watchers = new Map();
  #onChange;

  constructor(onChange) {
    this.#onChange = onChange;
  }

  /** Picks up new folders, and forgets those that are gone. */
  refresh() {
    const folders = new Set(watched.flatMap((name) => [...foldersIn(join(root, name))]));
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const folder of folders) {
      if (this.#watchers.has(folder)) continue;
      const watcher = watch(folder, (_event, name) => this.#onChange(join(folder, name ?? '')));
      watcher.on('error', () => watcher.close());
      this.#watchers.set(folder, watcher);
    }
  }

  close() {
    for (const watcher of this.#watchers.values()) watcher.close();
  }
}

function* foldersIn(folder) {
  if (!existsSync(folder)) return;
  yield folder;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) yield* foldersIn(join(folder, entry.name));
}

/** `holdfast up`, in a process group of its own: Ctrl-C reaches it once, through this program. */
class Server {
  #process;

  start() {
    // As under `npm start`, it ends by itself when this program is gone.
    const env = { ...process.env, npm_lifecycle_event: 'start' };
    const args = [program, 'up', ...process.argv.slice(2)];
    const started = spawn(process.execPath, args, { stdio: 'inherit', detached: true, env });
    this.#process = started;
    started.once('exit', (code, signal) => {
      if (this.#process !== started) return;
      this.#process = undefined;
      if (!stopping) say(`holdfast up ended with ${signal ?? code}; waiting for the next change`);
    });
  }

  async stop() {
    const running = this.#process;
    this.#process = undefined;
    if (!running) return;
    running.kill('SIGTERM');
    this.hurry = () => running.kill('SIGTERM');
    await once(running, 'exit');
  }

  /** A second signal ends it at once. */
  hurry() {}
}

let stopping = false;
let builder;
let working;
const changed = new Set();
const server = new Server();
const folders = new Folders((path) => {
  if (isIgnored.test(path)) return;
  changed.add(relative(root, path));
  setTimeout(() => work(catchUp), settleMs);
});

function work(task) {
  working ??= task().finally(() => {
    working = undefined;
  });
}

async function begin() {
  folders.refresh();
  if ((await build([])) && !stopping) server.start();
  await catchUp();
}

/** Until nothing is left to do: what changes during a build is built after it. */
async function catchUp() {
  while (changed.size > 0 && !stopping) {
    const [path, ...others] = changed;
    const names = partsWith([...changed]);
    changed.clear();
    folders.refresh();
    say(`${path}${others.length > 0 ? ` and ${others.length} more` : ''} changed`);
    if (!(await build(names)) || changed.size > 0) continue;
    await server.stop();
    if (!stopping) server.start();
  }
}

/** Builds these parts, and those that are out of date. After a failure, which the builder explains, the old server goes on. */
async function build(names) {
  builder = spawn(process.execPath, [join(root, 'scripts/build.mjs'), ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exit] = await once(builder, 'exit');
  builder = undefined;
  if (exit !== 0 && !stopping) say('the build failed; waiting for the next change');
  return exit === 0;
}

async function stop() {
  if (stopping) return server.hurry();
  stopping = true;
  clearInterval(parentTimer);
  folders.close();
  builder?.kill();
  await working;
  await server.stop();
}

const parent = process.ppid;
const parentTimer = setInterval(() => {
  if (process.env.npm_lifecycle_event && process.ppid !== parent) stop();
}, parentMs);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
work(begin);
