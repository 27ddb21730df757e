import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { programs } from '../../scripts/build.mjs';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const checkout = mkdtempSync(join(tmpdir(), 'holdfast-checkout-'));
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

/** What a long-running command in a checkout does first, and which native libraries it has loaded after that. */
const program = `
const { buildIfStale } = await import(process.argv[1]);
const built = await buildIfStale();
const libraries = process.report.getReport().sharedObjects.filter((path) => path.includes('node_modules'));
console.log(JSON.stringify({ built, libraries }));`;

test('a command that has to build first does not keep the bundler in its memory', async () => {
  write('scripts/build.mjs');
  cpSync(join(root, 'scripts/build.mjs'), join(checkout, 'scripts/build.mjs'));
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  write('packages/contract/src/index.ts');
  for (const entry of Object.values(programs)) write(entry, "console.log('a program');");
  // The console is not older than its sources; that of the server is not there.
  const later = new Date(Date.now() + 3_600_000);
  write('packages/server/dist/console/index.html');
  utimesSync(join(checkout, 'packages/server/dist/console/index.html'), later, later);
  const build = async () => {
    const args = [
      '--input-type=module',
      '-e',
      program,
      pathToFileURL(join(checkout, 'scripts/build.mjs')).href,
    ];
    return JSON.parse((await run(process.execPath, args)).stdout);
  };
  expect(await build()).toEqual({ built: true, libraries: [] });
  expect((await run(process.execPath, [join(checkout, 'packages/server/dist/holdfast.js')])).stdout).toBe(
    'a program\n',
  );
});

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}
