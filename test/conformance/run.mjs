// npm run conformance -- [SET…] [--verbose]   Runs the cases in CONFORMANCE_DATA (default ../shared/conformance).
// One line of JSON for each set on stdout; what is missing, and with --verbose each miss, on stderr.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = resolve(here, '../..');
const folder = resolve(process.env.CONFORMANCE_DATA ?? join(root, '../shared/conformance'));
const words = process.argv.slice(2);
const verbose = words.includes('--verbose');
const wanted = words.filter((word) => !word.startsWith('-'));

const sets = await loadSets();
const unknown = wanted.filter((word) => !sets.some(({ name }) => name === word));
if (unknown.length > 0) {
  console.error(
    `There is no set ${unknown.join(', ')}. There are: ${sets.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}
const chosen = sets.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (!existsSync(folder)) {
  const names = chosen.map(({ name }) => name).join(', ');
  console.error(
    `Skipped ${names}: there is no folder ${folder}. Set CONFORMANCE_DATA to where the cases are.`,
  );
  process.exit(0);
}
for (const set of chosen) await runSet(set);

async function runSet(set) {
  try {
    const { misses = [], ...scores } = await set.run(folder);
    console.log(JSON.stringify({ set: set.name, ...scores }));
    if (verbose) for (const miss of misses) console.error(`  ${set.name}: ${miss}`);
  } catch (error) {
    if (error.code === 'ENOENT') return console.error(`Skipped ${set.name}: ${error.path} is not there.`);
    console.error(`${set.name} broke off:`, error);
    process.exitCode = 1;
  }
}

/** Node 20 runs no TypeScript: the sets are bundled first, with the code they test. */
async function loadSets() {
  const files = readdirSync(here).filter(
    (file) => file.endsWith('.ts') && file !== 'conformance-set.ts' && !file.endsWith('.test.ts'),
  );
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(files.map((file) => [basename(file, '.ts'), join(here, file)])),
    external: (id) => !/^[./]|^@holdfast\//.test(id),
  });
  const dir = join(root, '.build/conformance');
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  const modules = await Promise.all(
    files.map((file) => import(pathToFileURL(join(dir, file.replace(/\.ts$/, '.mjs'))).href)),
  );
  return modules.flatMap((module) => [module, ...Object.values(module)].filter(isSet));
}

function isSet(value) {
  return typeof value?.name === 'string' && typeof value?.run === 'function';
}
