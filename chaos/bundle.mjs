import { mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { buildIfStale } from '../scripts/build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const parent = process.ppid;
const lookMs = 500;

/** Builds a program of this folder, and what it runs, and runs it. */
export async function runProgram(input) {
  endWhenTold();
  await buildIfStale();
  // Within the server's package, so that its dependencies and migrations are found.
  const folder = mkdtempSync(join(root, 'packages/server/dist/chaos-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: join('chaos/src', input),
    external: (id) => !/^[./]|^@holdfast\//.test(id),
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  const { main } = await import(pathToFileURL(join(folder, basename(input).replace(/\.ts$/, '.js'))).href);
  // Left to end by itself, Node 20 was seen to wait for ever for the sockets of a wire that had been dark.
  process.exit(await main(process.argv.slice(2), root));
}

/**
 * What has to be cleared away is, on the way out. npm passes a signal to the shell that it runs a script in, and the shell
 * dies of it without a word to us: then the end of that shell is the signal.
 */
function endWhenTold() {
  const end = () => process.exit(130);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, end);
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => {
    if (process.ppid !== parent) end();
  }, lookMs).unref();
}
