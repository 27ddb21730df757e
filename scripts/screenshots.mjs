// npm run screenshots   Makes the pictures of the console in docs/images, from sample data in a database of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { buildIfStale } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
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
  await takeScreenshots(join(root, 'docs/images'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
