import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, expect, inject, test } from 'vitest';
import { clusterOf, DataFolders, serverPid } from '../../../../../../test/database-fixture/data-folders.ts';
import { embeddedBinaries } from './embedded-binaries.ts';

const folders = new DataFolders();
afterEach(() => folders.endAll());
afterAll(() => folders.remove());

async function takePort(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

test('a configured port that is taken is an error', async () => {
  const { server, port } = await takePort();
  const holder = folders.open(await folders.made(), { HOLDFAST_DATABASE_PORT: String(port) });
  expect(await holder.answer()).toMatchObject({
    error: 'database_port_taken',
    message: expect.stringContaining(`127.0.0.1:${port}`),
  });
  server.close();
});

test('a remembered port that is taken is exchanged for a free one', async () => {
  const { server, port } = await takePort();
  const folder = await folders.made();
  writeFileSync(clusterOf(folder).port, `${port}\n`);
  const holder = folders.open(folder);
  const answer = await holder.answer();
  expect(answer.started).toBeDefined();
  expect(answer.port).not.toBe(port);
  expect(readFileSync(clusterOf(folder).port, 'utf8')).toBe(`${answer.port}\n`);
  await holder.close();
  server.close();
});

test('a server whose pid file was taken away while it started is ended, and started anew', async () => {
  const folder = await folders.made();
  const pidFile = join(clusterOf(folder).data, 'postmaster.pid');
  const holder = folders.open(folder);
  await expect.poll(() => existsSync(pidFile), { interval: 1, timeout: 30_000 }).toBe(true);
  rmSync(pidFile);
  expect((await holder.answer()).started).toBeDefined();
  expect(serverPid(folder)).toBeDefined();
  await holder.close();
  expect(serverPid(folder)).toBeUndefined();
});

test('a configured port is used', async () => {
  const { server, port } = await takePort();
  server.close();
  await once(server, 'close');
  const holder = folders.open(await folders.made(), { HOLDFAST_DATABASE_PORT: String(port) });
  expect((await holder.answer()).port).toBe(port);
  await holder.close();
});

test('a data folder that is a file is refused', async () => {
  const path = folders.missing();
  writeFileSync(path, '');
  const expected = { error: 'data_folder_bad', message: expect.stringContaining(`${path} is a file`) };
  expect(await folders.open(path).answer()).toMatchObject(expected);
  expect(await folders.open(join(path, 'below')).answer()).toMatchObject({ error: 'data_folder_bad' });
});

test('a cluster folder that holds no data is refused', async () => {
  const folder = folders.missing();
  mkdirSync(join(folder, 'cluster'), { recursive: true });
  expect(await folders.open(folder).answer()).toMatchObject({ error: 'data_folder_bad' });
});

test('data of another version of PostgreSQL is refused, with both versions named', async () => {
  const folder = await folders.made();
  writeFileSync(join(clusterOf(folder).data, 'PG_VERSION'), '16\n');
  expect(await folders.open(folder).answer()).toMatchObject({
    error: 'data_version_mismatch',
    message: expect.stringMatching(
      /belongs to PostgreSQL 16; this version of Holdfast includes PostgreSQL 17/,
    ),
  });
});

test('a server that cannot start shows the last lines of its log and where it is', async () => {
  const folder = await folders.made();
  const { data, log } = clusterOf(folder);
  writeFileSync(join(data, 'postgresql.conf'), 'shared_buffers = lots\n');
  const { error, message } = await folders.open(folder).answer();
  expect(error).toBe('embedded_start_failed');
  expect(message).toContain('invalid value for parameter "shared_buffers": "lots"');
  expect(message).toContain(`(log: ${log})`);
});

test('a creation that was killed is cleaned up, and one that goes on is left alone', async () => {
  const folder = folders.missing();
  const gone = spawn('true');
  await once(gone, 'exit');
  const names = [gone.pid, process.pid].map((pid) => `cluster.${pid}.abcd1234.new`);
  for (const name of names) mkdirSync(join(folder, name, 'data'), { recursive: true });
  const holder = folders.open(folder);
  expect((await holder.answer()).started).toBeDefined();
  await holder.close();
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([names[1]]);
});

test.runIf(process.getuid?.() === 0)('root can use a folder that only root may enter', async () => {
  const closed = mkdtempSync(join(tmpdir(), 'holdfast-closed-'));
  const folder = join(closed, 'data');
  const holder = folders.open(folder);
  expect((await holder.answer()).started).toBeDefined();
  const status = readFileSync(`/proc/${serverPid(folder)}/status`, 'utf8');
  expect(status).not.toMatch(/^Uid:\t0\t/m);
  // dac_read_search alone, where we have it to give; Docker has dac_override alone.
  expect(status).toMatch(/^CapEff:\t000000000000000[24]$/m);
  await holder.close();
  expect(serverPid(folder)).toBeUndefined();
  rmSync(closed, { recursive: true });
});

test.runIf(process.getuid?.() === 0)(
  'root without setpriv is told what to do about such a folder',
  async () => {
    const closed = mkdtempSync(join(tmpdir(), 'holdfast-closed-'));
    const holder = folders.open(join(closed, 'data'), { PATH: '/nonexistent' });
    expect(await holder.answer()).toMatchObject({
      error: 'data_folder_bad',
      message: expect.stringContaining(`may not enter ${closed}`),
      hint: expect.stringContaining(`chmod o+x ${closed}`),
    });
    rmSync(closed, { recursive: true });
  },
);

test('an installation below /root, without library links as after npm ci --ignore-scripts, works', async () => {
  const installation = copyInstallation();
  const { root, program } = installation;
  const links = JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  const missing = () => links.filter(({ target }) => !existsSync(join(root, target)));
  for (const { target } of links) rmSync(join(root, target), { force: true });
  expect(missing()).toEqual(links);
  const holder = folders.open(folders.missing(), {}, { program });
  expect((await holder.answer()).message).toBeUndefined();
  expect(missing()).toEqual([]);
  await holder.close();
});

/** The program with its own copy of PostgreSQL, so that other tests keep theirs. */
function copyInstallation(): { root: string; program: string } {
  const { root } = embeddedBinaries();
  const scope = dirname(root);
  const home = folders.missing();
  mkdirSync(home, { mode: 0o700 }); // as /root is
  const copy = join(home, 'node_modules', basename(scope), basename(root));
  mkdirSync(dirname(copy), { recursive: true });
  execFileSync('cp', ['-a', root, copy]);
  for (const name of readdirSync(dirname(scope))) {
    if (name !== basename(scope)) symlinkSync(join(dirname(scope), name), join(home, 'node_modules', name));
  }
  const program = join(home, 'holder.mjs');
  cpSync(inject('holderProgram'), program);
  return { root: copy, program };
}
