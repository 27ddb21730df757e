import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { programs } from '../../scripts/build.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const checkout = mkdtempSync(join(tmpdir(), 'holdfast-dev-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(checkout, { recursive: true, force: true });
});

const main = 'packages/server/src/cli/main.ts';
/** Stands for `holdfast up`: says what it is, and runs until it is stopped. */
const server = (edition: string) => `
process.on('SIGTERM', () => {
  console.log('${edition} stopped');
  process.exit();
});
setInterval(() => {}, 60_000);
console.log('${edition}', process.argv.slice(2).join(' '));`;

test('npm run dev restarts what it runs after a change, outlives a syntax error, and ends with Ctrl-C', async () => {
  for (const script of ['build.mjs', 'dev.mjs']) {
    write(`scripts/${script}`);
    cpSync(join(root, 'scripts', script), join(checkout, 'scripts', script));
  }
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  write('packages/contract/src/index.ts');
  for (const entry of Object.values(programs)) write(entry);
  write(main, server('first'));
  // The console is not older than its sources: it takes a second to build, and is not what this is about.
  const later = new Date(Date.now() + 3_600_000);
  write('packages/server/dist/console/index.html');
  utimesSync(join(checkout, 'packages/server/dist/console/index.html'), later, later);

  const dev = spawn(process.execPath, ['scripts/dev.mjs', '--port', '0'], { cwd: checkout });
  children.push(dev);
  const output = linesOf(dev, 'stdout');
  const messages = linesOf(dev, 'stderr');
  await output.until('first up --port 0');

  write(main, 'const broken = ;');
  await messages.until('dev: the build failed; waiting for the next change');
  write(main, server('second'));
  await output.until('first stopped');
  await output.until('second up --port 0');

  write('packages/server/src/cli/new/file.ts', "export const edition = 'third';");
  write(main, `import { edition } from './new/file.ts';${server('$').replaceAll("'$", "edition + '")}`);
  await output.until('third up --port 0');
  write('packages/server/src/cli/new/file.ts', "export const edition = 'fourth';");
  await output.until('fourth up --port 0');

  dev.kill('SIGINT');
  await output.until('fourth stopped');
  expect(await once(dev, 'exit')).toEqual([0, null]);
});

function linesOf(child: ChildProcess, stream: 'stdout' | 'stderr') {
  const input = child[stream];
  if (!input) throw new Error(`no ${stream}`);
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  return {
    async until(wanted: string) {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`ended without "${wanted}"`);
        if (value.trim() === wanted) return;
      }
    },
  };
}

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}
