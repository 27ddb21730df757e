// npm run screenshots [-- FOLDER]   Pictures of the console from sample data in a database of its own, into docs/images or FOLDER.

import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { buildIfStale } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  console.log('npm run screenshots [-- FOLDER]   pictures of the console, into docs/images or FOLDER');
  process.exit();
}
const target = resolve(root, positionals[0] ?? 'docs/images');
await buildIfStale();
// Within the server's package, so that its dependencies and migrations are found.
const folder = mkdtempSync(join(root, 'packages/server/dist/screenshots-'));
try {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: 'test/console/take-screenshots.ts',
    external: (id) => !/^[./]|^@holdfast\//.test(id),
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  const { takeScreenshots } = await import(pathToFileURL(join(folder, 'take-screenshots.js')).href);
  await takeScreenshots(target);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
