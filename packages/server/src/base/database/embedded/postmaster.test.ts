import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { clusterFolder } from './cluster-folder.ts';
import { removePidFileOf, removeStalePidFile } from './postmaster.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-pid-file-'));
const cluster = clusterFolder(root);
const pidFile = join(cluster.data, 'postmaster.pid');
mkdirSync(cluster.data);
beforeEach(() => rmSync(pidFile, { force: true }));
afterAll(() => rmSync(root, { recursive: true }));

test('the pid file of a server whose id belongs to another program is removed', () => {
  writeFileSync(pidFile, `${process.pid}\n`);
  removeStalePidFile(cluster);
  expect(existsSync(pidFile)).toBe(false);
});

test('the pid file of a dead server is removed, so that two starting servers never take it over at once', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  writeFileSync(pidFile, `${pid}\n`);
  expect(removeStalePidFile(cluster)).toBe(true);
  expect(existsSync(pidFile)).toBe(false);
});

test('whoever comes late to remove it leaves the file of the server started since where it is', () => {
  writeFileSync(pidFile, '4242\n');
  const { ino } = statSync(pidFile);
  removePidFileOf(process.pid, cluster);
  expect(statSync(pidFile).ino).toBe(ino);
  expect(existsSync(`${pidFile}.stale`)).toBe(false);
});

test('two never remove it at once', () => {
  writeFileSync(pidFile, `${process.pid}\n`);
  linkSync(pidFile, `${pidFile}.stale`);
  expect(removeStalePidFile(cluster)).toBe(false);
  expect(existsSync(pidFile)).toBe(true);
  rmSync(`${pidFile}.stale`);
  expect(removeStalePidFile(cluster)).toBe(true);
  expect(existsSync(pidFile)).toBe(false);
});
