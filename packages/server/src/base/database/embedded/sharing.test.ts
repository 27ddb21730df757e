import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  clusterOf,
  DataFolders,
  killServer,
  serverPid,
} from '../../../../../../test/database-fixture/data-folders.ts';
import { openEmbedded } from './open-embedded.ts';
import { isAlive } from './postmaster.ts';

const folders = new DataFolders();
afterEach(() => folders.endAll());
afterAll(() => folders.remove());

test('the server is made on first use, and stopped by the process that made it', async () => {
  const folder = folders.missing();
  const holder = folders.open(folder);
  const { describe, port } = await holder.answer();
  expect(describe).toMatch(/^embedded PostgreSQL 17\.\d+ in .* \(port \d+\)$/);
  expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'cluster']);
  const { path, password, port: portFile } = clusterOf(folder);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(password).mode & 0o777).toBe(0o600);
  expect(readFileSync(password, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(readFileSync(portFile, 'utf8')).toBe(`${port}\n`);
  const pid = serverPid(folder);
  await holder.close();
  expect(isAlive(pid ?? 0)).toBe(false);
});

test('five processes at once in a new folder share one server, and the last one out stops it', async () => {
  const folder = folders.missing();
  const holders = Array.from({ length: 5 }, () => folders.open(folder));
  const answers = await Promise.all(holders.map((holder) => holder.answer()));
  expect(new Set(answers.map(({ started, port, message }) => `${started} ${port} ${message}`)).size).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'cluster']);
  const pid = serverPid(folder);
  for (const holder of holders.slice(1)) {
    await holder.close();
    expect(serverPid(folder)).toBe(pid);
  }
  await holders[0]?.close();
  expect(serverPid(folder)).toBeUndefined();
});

test('processes that all leave at once stop the server', async () => {
  const folder = await folders.made();
  const holders = Array.from({ length: 4 }, () => folders.open(folder));
  await Promise.all(holders.map((holder) => holder.answer()));
  await Promise.all(holders.map((holder) => holder.close()));
  expect(serverPid(folder)).toBeUndefined();
});

test('a process that comes while the last one leaves gets a server', async () => {
  const folder = await folders.made();
  let present = folders.open(folder);
  await present.answer();
  for (let round = 0; round < 4; round++) {
    const leaving = present.close();
    present = folders.open(folder);
    const [{ started }] = await Promise.all([present.answer(), leaving]);
    expect(started).toBeDefined();
    expect((await present.ask('look')).failed).toBeUndefined();
  }
  await present.close();
  expect(serverPid(folder)).toBeUndefined();
});

test('a process that leaves is not held up by the server that the next one has started', async () => {
  const folder = await folders.made();
  const open = () =>
    openEmbedded({ dataFolder: folder, databasePort: 0 }, pino({ level: 'silent' }), { fsync: 'off' });
  let { presence } = await open();
  for (let round = 0; round < 8; round++) {
    const leaving = presence.leave();
    const coming = open();
    await leaving;
    ({ presence } = await coming);
  }
  await presence.leave();
  expect(serverPid(folder)).toBeUndefined();
}, 60_000);

test('the server outlives a killed process and is found again', async () => {
  const folder = await folders.made();
  const killed = folders.open(folder);
  const before = await killed.answer();
  await killed.kill();
  const next = folders.open(folder);
  expect(await next.answer()).toEqual(before);
  await next.close();
  expect(serverPid(folder)).toBeUndefined();
});

test('a killed server is recovered by the next process', async () => {
  const folder = await folders.made();
  const killed = folders.open(folder);
  const before = await killed.answer();
  killServer(folder);
  await killed.kill();
  const next = folders.open(folder);
  const after = await next.answer();
  expect(after.port).toBe(before.port);
  expect(after.started).not.toBe(before.started);
  await next.close();
});

test.runIf(process.platform === 'linux')(
  'a killed server is recovered although its process id belongs to another program by now',
  async () => {
    const folder = await folders.made();
    const killed = folders.open(folder);
    await killed.answer();
    killServer(folder);
    await killed.kill();
    // PostgreSQL itself only doubts the id when the program is of another user.
    const { data } = clusterOf(folder);
    const { uid } = statSync(data);
    const other = spawn('sleep', ['60'], { uid, stdio: 'ignore' });
    const pidFile = join(data, 'postmaster.pid');
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(other.pid)));
    const holders = [folders.open(folder), folders.open(folder)];
    const answers = await Promise.all(holders.map((holder) => holder.answer()));
    expect(answers[0]?.started).toBeDefined();
    expect(answers[1]).toEqual(answers[0]);
    expect(isAlive(other.pid ?? 0)).toBe(true);
    other.kill();
    await Promise.all(holders.map((holder) => holder.close()));
    expect(serverPid(folder)).toBeUndefined();
  },
);

test('a server killed under open processes is brought back by them, on the same port', async () => {
  const folder = await folders.made();
  const holders = [folders.open(folder), folders.open(folder)];
  const [before] = await Promise.all(holders.map((holder) => holder.answer()));
  killServer(folder);
  for (const holder of holders) {
    await expect
      .poll(async () => (await holder.ask('look')).started ?? before?.started, { timeout: 10_000 })
      .not.toBe(before?.started);
    expect((await holder.ask('look')).port).toBe(before?.port);
  }
  await holders[0]?.close();
  await expect.poll(() => serverPid(folder)).toBeDefined();
  await holders[1]?.close();
  expect(serverPid(folder)).toBeUndefined();
});

test('an interrupt from the terminal reaches our process and not the server', async () => {
  const folder = await folders.made();
  const interrupted = folders.open(folder, {}, { foreground: true });
  const before = await interrupted.answer();
  process.kill(-(interrupted.process.pid ?? Number.NaN), 'SIGINT');
  await interrupted.ended();
  const next = folders.open(folder);
  expect(await next.answer()).toEqual(before);
  await next.close();
});
