// Bundles the server into packages/server/dist. Skips the work when nothing is newer than the last bundle,
// so `npm start` and the `holdfast` command stay fast in a checkout.
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'packages/server/dist');
const sources = ['packages/contract/src', 'packages/server/src', 'scripts/build.mjs', 'package-lock.json'];

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), stat.mtimeMs);
}

export async function buildIfStale() {
  const built = statSync(join(dist, 'holdfast.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (sources.every((source) => newest(join(root, source)) < built)) return false;
  await build();
  return true;
}

async function build() {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: {
      holdfast: 'packages/server/src/cli/main.ts',
      runner: 'packages/server/src/runner/runner-program.ts',
      'generate-docs': 'packages/server/src/cli/generate-docs.ts',
    },
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@holdfast/'),
  });
  const { output } = await bundle.generate({
    format: 'esm',
    sourcemap: true,
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  // Entries last and by rename: another process that starts meanwhile sees the old bundle or the new one, whole.
  const entriesLast = output.toSorted((a, b) => Number(a.isEntry ?? false) - Number(b.isEntry ?? false));
  for (const file of entriesLast) replaceFile(join(dist, file.fileName), file.code ?? file.source);
}

function replaceFile(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log((await buildIfStale()) ? 'built packages/server/dist' : 'packages/server/dist is up to date');
}
