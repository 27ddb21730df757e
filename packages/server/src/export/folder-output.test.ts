import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queryable } from '../database/statement.ts';
import type { StoredPage } from '../pages/stored-page.ts';
import { FolderOutput } from './folder-output.ts';
import { urlInMarkdown } from './markdown-file.ts';
import { samplePage } from './testing/sample-page.ts';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'holdfast-md-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const page = (page_no: number, url: string, markdown = url) =>
  samplePage({ page_no, url: `https://example.com${url}`, markdown });

/** A database in which these pages are stored. */
const stored = (pages: readonly StoredPage[]): Queryable => ({
  query: (async ({ values }: { values: unknown[] }) => ({
    rows: pages.filter(({ page_no }) => page_no === values[1]).map(({ url }) => ({ url })),
  })) as unknown as Queryable['query'],
});

async function write(
  jobId: string,
  pages: readonly StoredPage[],
  options: { complete?: boolean; overwrite?: boolean } = {},
) {
  const output = await FolderOutput.at({
    path,
    seedHost: 'example.com',
    overwrite: options.overwrite ?? false,
  });
  await output.open({ db: stored(pages), jobId, anew: false });
  const begun = output.pageNo;
  for (const each of pages) if (each.page_no > begun) await output.add(each);
  await output.close(options.complete ?? true);
  return begun;
}

const files = () =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
const read = (name: string) => readFileSync(join(path, name), 'utf8');

describe('a folder of markdown files', () => {
  test('two pages whose names fall together both get a file, whoever writes them and however often', async () => {
    const pages = [page(1, '/About'), page(2, '/about'), page(3, '/about.html')];
    await write('a', pages.slice(0, 2), { complete: false });
    expect(await write('a', pages)).toBe(2);
    const names = files();
    expect(names).toHaveLength(4);
    expect(urlInMarkdown(read('about.md'))).toBe('https://example.com/About');
    rmSync(join(path, '.holdfast.json'));
    await write('a', pages, { overwrite: true });
    expect(files()).toEqual(names);
  });

  test('pages of an earlier crawl go when a new one begins; what others put there stays', async () => {
    await write('a', [page(1, '/'), page(2, '/gone')]);
    writeFileSync(join(path, 'notes.md'), 'mine\n');
    writeFileSync(join(path, 'copied.md'), read('gone.md'));
    await write('b', [page(1, '/')]);
    expect(files()).toEqual(['.holdfast.json', 'copied.md', 'index.md', 'notes.md']);
  });

  test('a job that was begun afresh is written from its first page on', async () => {
    await write('a', [page(1, '/x'), page(2, '/y')], { complete: false });
    expect(await write('a', [page(1, '/y'), page(2, '/x')])).toBe(0);
  });

  test('a file of somebody else is not written over', async () => {
    writeFileSync(join(path, 'index.md'), 'mine\n');
    await expect(write('a', [page(1, '/')])).rejects.toThrow('has other things in it');
    await write('a', [page(1, '/')], { overwrite: true });
    expect(read('index.md')).toBe('mine\n');
    expect(files()).toHaveLength(3);
  });

  test('a file in the way of the folder is named', async () => {
    writeFileSync(join(path, 'file'), '');
    const at = (name: string) => FolderOutput.at({ path: join(path, name), seedHost: '', overwrite: false });
    await expect(at('file')).rejects.toThrow('it is a file, not a folder');
    await expect(at('no/folder')).rejects.toThrow('its folder does not exist');
    mkdirSync(join(path, 'empty'));
    await expect(at('empty/')).resolves.toHaveProperty('pageNo', 0);
  });
});
