import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Installs the newest version of a major into a folder, without its scripts, and returns the path of the package. */
export function installPackage(name, major, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = (...args) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
  // A range leaves out pre-releases, and some packages have no others.
  const version = JSON.parse(npm('view', name, 'versions', '--json'))
    .filter((candidate) => candidate.startsWith(`${major}.`))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  if (!version) throw new Error(`${name} has no version ${major}`);
  npm('install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`);
  console.log(`installed ${name}@${version}`);
  return join(folder, 'node_modules', name);
}
