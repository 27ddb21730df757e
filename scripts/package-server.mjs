// Writes @holdfast/server as it is published into a folder (packages/server/package by default): the bundle with the console, the
// command, the migrations, and a package.json with the few packages that are not in the bundle. To publish:
// node scripts/package-server.mjs && npm publish packages/server/package
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, buildServer, external } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const server = join(root, 'packages/server');

export async function packageServer(out = join(server, 'package')) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await Promise.all([buildServer(join(out, 'dist')), buildConsole(join(out, 'dist'))]);
  for (const folder of ['bin', 'migrations'])
    cpSync(join(server, folder), join(out, folder), { recursive: true });
  for (const file of ['README.md', 'LICENSE']) copyFileSync(join(root, file), join(out, file));
  const {
    dependencies,
    devDependencies: _,
    ...described
  } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'));
  const outside = Object.entries(dependencies).filter(([name]) => external.includes(name));
  const published = { ...described, dependencies: Object.fromEntries(outside) };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await packageServer(process.argv[2] && resolve(process.argv[2]));
