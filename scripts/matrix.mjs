// Runs the tests on other versions of PostgreSQL and Node, which npm brings into a temporary folder.
//   npm run matrix                                 every target, one after the other
//   npm run matrix -- pg14 node22                  these
//   npm run matrix -- pg14 packages/server/src/queue/jobs    the rest is for vitest
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackage } from './install-package.mjs';
import { startPostgresql } from './start-postgresql.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

const targets = {
  ...Object.fromEntries(['14', '15', '16', '17', '18'].map((major) => [`pg${major}`, onPostgresql(major)])),
  ...Object.fromEntries(['20', '22', '24'].map((major) => [`node${major}`, onNode(major)])),
};

const words = process.argv.slice(2);
if (words.includes('--help')) {
  console.log(
    `npm run matrix -- [target]… [path or option of vitest]…\n\nTargets: ${Object.keys(targets).join(' ')}`,
  );
  process.exit();
}
const asked = words.filter((word) => Object.hasOwn(targets, word));
const rest = words.filter((word) => !Object.hasOwn(targets, word));
const typo = rest.find((word) => /^(pg|node)[\d.]*$/.test(word));
if (typo) {
  console.error(`There is no target ${typo}. There are: ${Object.keys(targets).join(' ')}`);
  process.exit(2);
}

/** The test run in progress. Ctrl-C reaches it too; this program then clears up and ends. */
let running;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopped = true;
    running?.kill(signal);
  });

const folder = mkdtempSync(join(tmpdir(), 'holdfast-matrix-'));
chmodSync(folder, 0o755); // PostgreSQL runs as another user, if this is root
const results = [];
try {
  for (const name of asked.length > 0 ? asked : Object.keys(targets)) {
    if (isStopped) break;
    const began = Date.now();
    const { version, passed } = await targets[name](join(folder, name));
    const minutes = ((Date.now() - began) / 60_000).toFixed(1);
    results.push({ name, version, passed, text: `${passed ? 'passed' : 'FAILED'} in ${minutes} min` });
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log();
for (const { name, version, text } of results) console.log(`${name.padEnd(7)} ${version.padEnd(16)} ${text}`);
process.exitCode = isStopped || results.some(({ passed }) => !passed) ? 1 : 0;

function onPostgresql(major) {
  return async (target) => {
    const server = await startPostgresql(major, target);
    try {
      return { version: server.version, passed: await test(process.execPath, { DATABASE_URL: server.url }) };
    } finally {
      await server.stop();
    }
  };
}

function onNode(major) {
  return async (target) => {
    const node = join(installPackage(`node-${process.platform}-${process.arch}`, major, target), 'bin/node');
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
    const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
    return { version, passed: await test(node, { PATH }) };
  };
}

async function test(node, env) {
  const { DATABASE_URL: _, ...inherited } = process.env;
  console.log(`\n== vitest run ${rest.join(' ')}`);
  running = spawn(node, [vitest, 'run', ...rest], {
    cwd: root,
    env: { ...inherited, ...env },
    stdio: 'inherit',
  });
  const [code] = await once(running, 'exit');
  running = undefined;
  return code === 0;
}
