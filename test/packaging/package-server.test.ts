import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackPackage } from './unpack-package.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
const modules = join(folder, 'node_modules');
const command = join(modules, '@holdfast/server/bin/holdfast.js');

/** Packed, and unpacked into an empty folder with the packages it names, and theirs: what `npm install` would do. */
beforeAll(async () => {
  chmodSync(folder, 0o755); // the embedded server may run under another account
  await run(process.execPath, [join(root, 'scripts/package-server.mjs'), join(folder, 'built')]);
  const installed = await unpackPackage(join(folder, 'built'), folder, '@holdfast/server');
  install(join(installed, 'package.json'), join(root, 'packages/server/package.json'));
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function install(packageJson: string, from: string): void {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(packageJson, 'utf8'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = find(name, from);
    if (!found && name in optionalDependencies) continue;
    if (!found) throw new Error(`${name} is not installed`);
    const target = join(modules, name);
    cpSync(found, target, { recursive: true, verbatimSymlinks: true });
    install(join(target, 'package.json'), join(found, 'package.json'));
  }
}

function find(name: string, from: string): string | undefined {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  return folders
    .map((path) => join(path, name))
    .find((path) => {
      try {
        return readFileSync(join(path, 'package.json'));
      } catch {
        return false;
      }
    });
}

test('the package needs few others, and brings its licence and those of what is inside', async () => {
  const { dependencies } = JSON.parse(readFileSync(join(modules, '@holdfast/server/package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual(['@fastify/swagger-ui', 'playwright-core']);
  const notices = readFileSync(join(modules, '@holdfast/server/dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['fastify', 'pg', 'undici', 'zod', 'htmlparser2'])
    expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(readFileSync(join(modules, '@holdfast/server/LICENSE'), 'utf8')).toContain('MIT');
});

// On macOS a browser is looked for in /Applications too.
test.skipIf(process.platform === 'darwin')('it brings no browser, and says how to get one', async () => {
  const described = JSON.parse(readFileSync(join(modules, '@holdfast/server/package.json'), 'utf8'));
  const names = (field: string) => Object.keys(described[field] ?? {}).filter((name) => /chrom/.test(name));
  expect(['dependencies', 'optionalDependencies'].flatMap(names)).toEqual([]);
  expect(described.peerDependenciesMeta['@sparticuz/chromium']).toEqual({ optional: true });
  const env = {
    PATH: dirname(process.execPath),
    HOME: folder,
    DATABASE_URL: 'postgresql://me@127.0.0.1:1/db',
  };
  const { stdout } = await run(process.execPath, [command, 'doctor', '--json'], { cwd: folder, env }).catch(
    (failed: { stdout: string }) => failed,
  );
  const findings = JSON.parse(stdout) as { check: string; advice: string }[];
  expect(findings.find(({ check }) => check === 'browser')).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('there is no browser'),
    advice: expect.stringContaining('npm install @sparticuz/chromium@143'),
  });
});

test('installed in an empty folder, it runs with its own database and console', {
  timeout: 120_000,
}, async () => {
  const env = { PATH: process.env.PATH, HOME: folder };
  const up = spawn(process.execPath, [command, 'up', '--port', '0'], { cwd: folder, env });
  try {
    let text = '';
    const address = await new Promise<string>((resolve, reject) => {
      const read = (chunk: unknown) => {
        text += chunk;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
        if (found) resolve(found);
      };
      up.stdout.on('data', read);
      up.stderr.on('data', read);
      up.once('exit', () => reject(new Error(text)));
    });
    for (const path of ['/', '/health', '/api/docs', '/api/openapi.json'])
      expect([path, (await fetch(address + path)).status]).toEqual([path, 200]);
    const { stdout } = await run(process.execPath, [command, 'jobs', 'list', '--json'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject([]);
  } finally {
    up.kill('SIGTERM');
    await once(up, 'exit');
  }
});
