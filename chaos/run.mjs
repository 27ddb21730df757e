// npm run chaos -- [--fault F3] [--seed 42] [--minutes 10] [--scale 0.1] [--json]
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { buildIfStale } from '../scripts/build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
await buildIfStale();
// Within the server's package, so that its dependencies and migrations are found.
const folder = mkdtempSync(join(root, 'packages/server/dist/chaos-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: 'chaos/src/main.ts',
  external: (id) => !/^[./]|^@holdfast\//.test(id),
});
await bundle.write({ dir: folder, format: 'esm' });
await bundle.close();
const { main } = await import(pathToFileURL(join(folder, 'main.js')).href);
process.exitCode = await main(process.argv.slice(2), root);
