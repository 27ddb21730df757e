import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assertCanMakeFolder, makeFolder } from './make-folder.ts';

test('makes what is missing, and leaves what is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-folder-'));
  try {
    makeFolder(join(folder, 'a/b/c'));
    makeFolder(join(folder, 'a/b'));
    expect(statSync(join(folder, 'a/b/c')).isDirectory()).toBe(true);
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(folder, 'file/below'))).toThrow(/ENOTDIR|EEXIST/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('tells whether a folder can be made, and makes none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-folder-'));
  try {
    writeFileSync(join(folder, 'file'), '');
    await assertCanMakeFolder(join(folder, 'a/b/c'));
    await expect(assertCanMakeFolder(join(folder, 'file/below'))).rejects.toThrow('ENOTDIR');
    expect(readdirSync(folder)).toEqual(['file']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.runIf(existsSync('/proc/self'))('fails where nothing can be made, instead of trying for ever', () => {
  expect(() => makeFolder('/proc/holdfast/data')).toThrow('ENOENT');
});
