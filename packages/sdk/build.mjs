// Writes the package as it is published into dist, or another folder: one JavaScript file, its types, and a package.json
// that leads to them. The package.json beside this file leads to the sources, for the workspace. To publish:
// node packages/sdk/build.mjs && npm publish packages/sdk/dist
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const folder = fileURLToPath(new URL('.', import.meta.url));
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

export async function build(out = join(folder, 'dist')) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const bundle = await rolldown({ cwd: folder, platform: 'neutral', input: { index: 'src/index.ts' } });
  await bundle.write({ dir: out, format: 'esm', sourcemap: true });
  await bundle.close();
  execFileSync(process.execPath, [compiler, '-p', folder, '--outDir', out], { stdio: 'inherit' });
  const {
    exports: _sources,
    scripts: _scripts,
    ...published
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const exports = { '.': { types: './index.d.ts', default: './index.js' } };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ ...published, exports }, null, 2)}\n`);
  copyFileSync(join(folder, 'README.md'), join(out, 'README.md'));
  copyFileSync(join(folder, '../../LICENSE'), join(out, 'LICENSE'));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await build(process.argv[2] && resolve(process.argv[2]));
