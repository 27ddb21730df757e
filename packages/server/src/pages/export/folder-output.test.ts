import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Queryable } from '../../base/database/statement.ts';
import type { StoredPage } from '../stored/page.ts';
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
  options: { complete?: boolean; overwrite?: boolean; resumesJob?: string } = {},
) {
  const output = await FolderOutput.at({
    path,
    seedHost: 'example.com',
    overwrite: options.overwrite ?? false,
    ...(options.resumesJob !== undefined && { resumesJob: options.resumesJob }),
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

  test('the screenshot of a page stands beside it and goes with it', async () => {
    const picture = Buffer.from('picture');
    const shown = { ...page(1, '/app'), rendered: true, has_screenshot: true, screenshot: picture };
    await write('a', [shown, page(2, '/')]);
    expect(files()).toEqual(['.holdfast.json', 'app.md', 'app.png', 'index.md']);
    expect(read('app.png')).toBe('picture');
    expect(read('app.md')).toContain('\nrendered: true\nscreenshot: "app.png"\n');
    expect(read('index.md')).not.toMatch(/rendered|screenshot/);
    await write('b', [page(1, '/')]);
    expect(files()).toEqual(['.holdfast.json', 'index.md']);
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
    await expect(write('a', [page(1, '/')])).rejects.toThrow('holds other files');
    await write('a', [page(1, '/')], { overwrite: true });
    expect(read('index.md')).toBe('mine\n');
    expect(files()).toHaveLength(3);
  });

  test('a file in the way of the folder is named', async () => {
    writeFileSync(join(path, 'file'), '');
    const at = (name: string) => FolderOutput.at({ path: join(path, name), seedHost: '', overwrite: false });
    await expect(at('file')).rejects.toThrow('it is a file, not a folder');
    await expect(at('file/below')).rejects.toThrow('a part of its path is a file, not a folder');
    mkdirSync(join(path, 'empty'));
    await expect(at('empty/')).resolves.toHaveProperty('pageNo', 0);
  });

  test('a finished export is left alone, an unfinished one is gone on with', async () => {
    const pages = [page(1, '/'), page(2, '/b')];
    await write('a', pages.slice(0, 1), { resumesJob: 'a', complete: false });
    expect(await write('a', pages, { resumesJob: 'a' })).toBe(1);
    writeFileSync(join(path, 'b.md'), 'edited\n');
    for (const resumesJob of ['a', 'b'])
      await expect(write(resumesJob, pages, { resumesJob })).rejects.toThrow('it exists already');
    expect(read('b.md')).toBe('edited\n');
    await write('a', pages, { resumesJob: 'a', overwrite: true });
  });

  test.runIf(existsSync('/dev/full'))('a disk that is full is said to be, also by the cursor', async () => {
    symlinkSync('/dev/full', join(path, `.holdfast.json.${process.pid}`));
    await expect(write('a', [page(1, '/')], { overwrite: true })).rejects.toMatchObject({
      code: 'output_failed',
      message: expect.stringContaining(`${path}/: the disk is full`),
    });
  });

  test.runIf(existsSync('/proc/self'))('what the system says of a folder that is there is told', async () => {
    const output = await FolderOutput.at({ path: '/proc/self/x', seedHost: '', overwrite: false }).catch(
      (error) => error,
    );
    const error = output instanceof FolderOutput ? await output.add(page(1, '/')).catch((e) => e) : output;
    expect(error).toMatchObject({ code: 'output_unusable' });
    expect(error.message).not.toContain('does not exist');
  });
});
