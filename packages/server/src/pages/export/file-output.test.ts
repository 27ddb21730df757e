import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Queryable } from '../../base/database/statement.ts';
import { FileOutput } from './file-output.ts';
import { csvFormat, jsonlFormat } from './line-formats.ts';
import { samplePage } from './testing/sample-page.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pages = [1, 2].map((page_no) => samplePage({ page_no, url: `https://example.com/${page_no}` }));
const db = {
  query: async ({ values }: { values: unknown[] }) => ({
    rows: pages.filter(({ page_no }) => page_no === values[1]),
  }),
} as unknown as Queryable;

const formats = { csv: csvFormat, jsonl: jsonlFormat };

/** Goes on with a file that has the first page, and says how many pages were written. */
async function goOn(format: keyof typeof formats, text: string): Promise<{ added: number; text: string }> {
  const path = join(folder, `pages.${format}`);
  writeFileSync(path, text);
  const cursor = { job: 'job', format, page_no: 1, url: pages[0]?.url, bytes: Buffer.byteLength(text) };
  writeFileSync(`${path}.cursor`, JSON.stringify({ ...cursor, complete: false, writer: null }));
  const output = await FileOutput.at({ path, format, pages: formats[format], overwrite: false });
  await output.open({ db, jobId: 'job', anew: false });
  for (const page of pages) if (page.page_no > output.pageNo) await output.add(page);
  await output.close(true);
  return { added: output.added.pages, text: readFileSync(path, 'utf8') };
}

test.each(['csv', 'jsonl'] as const)(
  'screenshots stand in a folder beside the file, as %s',
  async (format) => {
    const path = join(folder, `pages.${format}`);
    const [page] = pages;
    if (!page) throw new Error('no page');
    const shown = { ...page, rendered: true, has_screenshot: true, screenshot: Buffer.from('picture') };
    const write = async (one: typeof page) => {
      const output = await FileOutput.at({ path, format, pages: formats[format], overwrite: true });
      await output.open({ db, jobId: 'job', anew: true });
      await output.add(one);
      await output.close(true);
    };
    await write(shown);
    const name = `${page.url_hash}.png`;
    expect(readFileSync(join(`${path}.screenshots`, name), 'utf8')).toBe('picture');
    expect(readFileSync(path, 'utf8')).toContain(name);
    await write(page);
    expect(readdirSync(`${path}.screenshots`)).toEqual([]);
    expect(readFileSync(path, 'utf8')).not.toContain('.png');
  },
);

test.each(['csv', 'jsonl'] as const)(
  'an unfinished file is gone on with behind its last page, as %s',
  async (format) => {
    const { header, record } = formats[format];
    const [first, second] = pages.map((page) => record(page));
    expect(await goOn(format, `${header()}${first}`)).toEqual({
      added: 1,
      text: `${header()}${first}${second}`,
    });
  },
);

test.each([
  ['csv', 'n,url,canonical_url,title,description\r\n1,https://example.com/1,,Title,\r\n'],
  ['jsonl', '{"n":1,"url":"https://example.com/1"}\n'],
] as const)('one of a version with other columns is written anew, as %s', async (format, text) => {
  const { header, record } = formats[format];
  const whole = `${header()}${pages.map((page) => record(page)).join('')}`;
  expect(await goOn(format, text)).toEqual({ added: 2, text: whole });
});
