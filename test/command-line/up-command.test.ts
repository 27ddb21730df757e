import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase } from '../database-fixture/create-test-database.ts';
import { awaitUp } from './await-up.ts';
import { holdfastProgram, runHoldfast, startHoldfast } from './run-holdfast.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-up-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts `holdfast up` in the folder and resolves with the addresses it prints. */
async function up(
  env: Record<string, string> = {},
): Promise<{ child: ChildProcess; address: string; sampleSite: string }> {
  const child = startHoldfast(['up', '--port', '0'], env, folder);
  children.push(child);
  const { address, found: sampleSite } = await awaitUp(child, /^ {2}sample site {2}(\S+)$/);
  return { child, address, sampleSite };
}

describe('holdfast up', () => {
  test('makes its own database in an empty folder, a page answers at the address it prints, and a second one is led there', async () => {
    const { child, address, sampleSite } = await up({ MAX_CONCURRENT_JOBS: '0' }); // so that the job stays where it is
    expect((await fetch(sampleSite)).status).toBe(200);
    await runHoldfast(['jobs', 'create', 'crawl', 'https://example.com/'], {}, folder);
    const page = await fetch(address);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Holdfast</title>');
    const made = await runHoldfast(
      ['keys', 'create', '--name', 'ops', '--role', 'operator', '--json'],
      {},
      folder,
    );
    const authorization = `Bearer ${JSON.parse(made.stdout).secret}`;
    expect(await (await fetch(`${address}/health`, { headers: { authorization } })).json()).toMatchObject({
      ready: true,
      database: expect.stringMatching(/^embedded PostgreSQL 17.* in \.holdfast/),
      jobs: { pending: 1 },
    });
    const second = await runHoldfast(['up', '--port', new URL(address).port], {}, folder);
    expect([second.exit, second.stderr]).toEqual([
      5,
      expect.stringContaining(`Holdfast already runs there: open ${address}`),
    ]);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(fetch(address)).rejects.toThrow();
  });

  test('prints the public address, and links that lead there', async () => {
    const env = { HOLDFAST_PUBLIC_URL: 'https://holdfast.example' };
    const child = startHoldfast(['up', '--port', '0'], env, folder);
    children.push(child);
    const { address, found } = await awaitUp(child, /^ {2}(\S+)\/login#link=/);
    expect([address, found]).toEqual(['https://holdfast.example', 'https://holdfast.example']);
  });

  test('stays up when its database goes away, says so, and is well again when it is back', async () => {
    const database = await createTestDatabase();
    const { address } = await up({ DATABASE_URL: database.url });
    expect(await (await fetch(`${address}/health`)).json()).toEqual({ ready: true });
    await database.pool.query('ALTER TABLE crawl_jobs RENAME TO gone');
    const away = await fetch(`${address}/health`);
    expect([away.status, await away.json()]).toEqual([503, { ready: false }]);
    await database.pool.query('ALTER TABLE gone RENAME TO crawl_jobs');
    expect((await fetch(`${address}/health`)).status).toBe(200);
    await database.drop();
  });

  test('lets nobody in without a key where others reach it: it does not start, nor make a database', async () => {
    const env = { HOLDFAST_KEYLESS: 'loopback' };
    const outcome = await runHoldfast(['up', '--host', '0.0.0.0', '--port', '0'], env, folder);
    expect([outcome.exit, outcome.stderr]).toEqual([
      2,
      expect.stringContaining('HOLDFAST_KEYLESS=loopback cannot be used: HOLDFAST_HOST is 0.0.0.0'),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says that it is not ready before it stops listening, for as long as it is told to', async () => {
    const { child, address } = await up({ HOLDFAST_DRAIN_SECONDS: '3600' });
    expect((await fetch(`${address}/ready`)).status).toBe(200);
    child.kill('SIGTERM');
    await vi.waitUntil(async () => (await fetch(`${address}/ready`)).status === 503, {
      timeout: 20_000,
      interval: 20,
    });
    expect((await fetch(`${address}/livez`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });

  test('ends with `npm start`: a signal to npm kills only the shell between them', async () => {
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${holdfastProgram}" up --port 0; true`], {
      cwd: folder,
      env: { ...process.env, npm_lifecycle_event: 'start', MAX_CONCURRENT_JOBS: '0' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let wasUp = false;
    // The pipe closes when the last process that writes to it has ended.
    for await (const line of createInterface({ input: shell.stdout })) {
      if (!line.startsWith('Holdfast is up: ')) continue;
      wasUp = true;
      shell.kill('SIGTERM');
    }
    expect([wasUp, shell.signalCode]).toEqual([true, 'SIGTERM']);
  });

  test.each([
    ['up', 'HOLDFAST_PORT'],
    ['api', 'HOLDFAST_PORT'],
    ['worker', 'HOLDFAST_METRICS_PORT'],
  ])('`holdfast %s` says that its port is taken, and makes no database before', async (command, setting) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const outcome = await runHoldfast([command], { [setting]: String(port) }, folder);
    other.close();
    expect(outcome.exit).toBe(5);
    expect(outcome.stderr).toMatch(`The listen address is already in use: 127.0.0.1:${port}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('names no migration at its first start: the person who reads along did not write them', async () => {
    const child = startHoldfast(['up', '--port', '0'], { HOLDFAST_LOG_FORMAT: 'text' }, folder);
    children.push(child);
    let log = '';
    child.stderr?.on('data', (data) => {
      log += data;
    });
    await awaitUp(child, /login#link=(.+)/);
    expect(log).toMatch(/Created a new database in /);
    expect(log).not.toMatch(/\.sql/);
  });

  test.runIf(existsSync('/usr/bin/script'))('logs text on a terminal, its runners too', async () => {
    const command = `exec "${process.execPath}" "${holdfastProgram}" up --port 0`;
    const { DATABASE_URL: _, HOLDFAST_LOG_FORMAT: __, ...env } = process.env;
    const terminal = spawn('/usr/bin/script', ['-qfec', command, '/dev/null'], { cwd: folder, env });
    children.push(terminal);
    let shown = '';
    let address = '';
    for await (const line of createInterface({ input: terminal.stdout })) {
      shown += `${line}\n`;
      const [, site] = /sample site {2}(http:\S+)/.exec(line) ?? [];
      if (site) {
        address = site;
        await runHoldfast(
          ['jobs', 'create', 'crawl', `${site}/`, '--payload', '{"max_pages": 1}'],
          {},
          folder,
        );
      }
      if (/Run ended/.test(line)) break;
    }
    expect(address).not.toBe('');
    expect(shown).toMatch(/INFO.*: .*Run ended: completed/);
    expect(shown).not.toMatch(/^\{"level"/m);
  });

  test.each([
    ['HOLDFAST_PORT', 'http'],
    ['HOLDFAST_PORT', '70000'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['HOLDFAST_LEASE_SECONDS', '-1'],
    ['HOLDFAST_LOG_LEVEL', 'loud'],
  ])('refuses %s=%s and names it', async (name, value) => {
    const outcome = await runHoldfast(['up'], { [name]: value }, folder);
    expect(outcome.exit).toBe(2);
    expect(outcome.stderr).toMatch(`holdfast: The configuration is not valid: ${name}`);
  });

  test('says that a database cannot be reached, without its password', async () => {
    const url = 'postgresql://me:secret@127.0.0.1:1/db';
    const outcome = await runHoldfast(['jobs', 'list'], { DATABASE_URL: url }, folder);
    expect(outcome.exit).toBe(5);
    expect(outcome.stderr).toMatch(/The database does not answer.*127\.0\.0\.1/);
    expect(outcome.stderr).not.toContain('secret');
  });

  test('says once that there was no database in the folder and a new one was made', async () => {
    const list = () => runHoldfast(['jobs', 'list', '--json'], {}, folder);
    expect(await list()).toEqual({
      exit: 0,
      stdout: '[]\n',
      stderr: `Created a new database in ${join(realpathSync(folder), '.holdfast')}\n`,
    });
    expect((await list()).stderr).toBe('');
  });

  test('says that the data folder is a file', async () => {
    writeFileSync(join(folder, '.holdfast'), '');
    const outcome = await runHoldfast(['jobs', 'list'], {}, folder);
    expect([outcome.exit, outcome.stderr]).toEqual([
      5,
      expect.stringContaining('The data folder cannot be used'),
    ]);
  });
});
