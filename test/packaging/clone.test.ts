import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FolderOutput } from '../../packages/server/src/pages/export/folder-output.ts';
import { samplePage } from '../../packages/server/src/pages/export/testing/sample-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const clone = mkdtempSync(join(tmpdir(), 'holdfast-clone-'));
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean);

describe('in a clone in which somebody has crawled', () => {
  beforeAll(async () => {
    git(clone, 'init', '-q');
    for (const file of ['.gitignore', 'biome.json']) cpSync(join(root, file), join(clone, file));
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    write('packages/server/src/ours.ts', "export const ours = 'linted';\n");
    for (const name of [
      'example.com.jsonl',
      'pages.json',
      'a/b/pages.csv',
      'pages.warc.gz',
      'x.jsonl.cursor',
    ])
      write(name, '{"url":"https://example.com/"}\n{}\n');
    const pages = { path: join(clone, 'harbour'), seedHost: 'example.com', overwrite: false };
    const output = await FolderOutput.at(pages);
    await output.open({ db: { query: async () => ({ rows: [] }) } as never, jobId: 'job', anew: true });
    await output.add(samplePage({ markdown: '[nowhere](no-such-page.md)' }));
    await output.close(true);
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  test('git shows none of it', () => {
    expect(git(clone, 'ls-files', '--others', '--exclude-standard').sort()).toEqual([
      '.gitignore',
      'biome.json',
      'packages/server/src/ours.ts',
    ]);
  });

  test('the linter reads none of it, and still what is ours', () => {
    const lint = () =>
      spawnSync(join(root, 'node_modules/.bin/biome'), ['check', '.'], { cwd: clone, encoding: 'utf8' });
    expect(lint()).toMatchObject({ status: 0 });
    write('packages/server/src/ours.ts', 'export const ours = "not as we write it"\n');
    const { status, stdout, stderr } = lint();
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain('ours.ts');
    expect(stdout + stderr).not.toContain('harbour');
  });
});

test('no file that the repository keeps is ignored', () => {
  expect(git(root, 'ls-files', '--cached', '--ignored', '--exclude-standard')).toEqual([]);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), text);
}
