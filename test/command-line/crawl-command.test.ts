import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readPages } from '../../packages/server/src/pages/stored/read-pages.ts';
import { CrawlCommandFixture, killAll } from './crawl-command-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';
import { startTreeSite } from './tree-site.ts';

const fixture = new CrawlCommandFixture();

const read = (name: string) => readFileSync(join(fixture.folder, name), 'utf8');
const urlsIn = (jsonl: string) =>
  jsonl
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { url: string }).url);

async function storedUrls(): Promise<string[]> {
  const { rows } = await fixture.database.pool.query<{ id: string }>(
    'SELECT id FROM crawl_jobs ORDER BY id DESC LIMIT 1',
  );
  const urls: string[] = [];
  for await (const page of readPages(fixture.database.pool, rows[0]?.id ?? '')) urls.push(page.url);
  return urls;
}

describe('holdfast crawl', () => {
  test('crawls a site into a file, says so when asked again, and writes every format', async () => {
    fixture.site = await startTreeSite(25);
    const first = await fixture.crawl();
    expect([first.exit, first.stderr]).toEqual([
      0,
      expect.stringContaining(`Crawling ${fixture.site.origin}/`),
    ]);
    expect(first.stdout).toMatch(
      /fetched +25 .*\n[\s\S]*output +127\.0\.0\.1-\d+-[0-9a-f]{6}\.jsonl[\s\S]*holdfast jobs show/,
    );
    const [name = ''] = readdirSync(fixture.folder);
    expect(name).toMatch(new RegExp(`^127.0.0.1-${fixture.site.port}-[0-9a-f]{6}.jsonl$`));
    const pages = read(name)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(urlsIn(read(name))).toEqual(await storedUrls());
    expect(new Set(pages.map(({ url }) => url)).size).toBe(25);
    expect(pages[0]).toMatchObject({
      url: `${fixture.site.origin}/`,
      title: '=Page "0", with a comma',
      language: 'en',
      status: 200,
      depth: 0,
      markdown: expect.stringContaining('# Page 0'),
      links: [`${fixture.site.origin}/p/1`, `${fixture.site.origin}/p/2`, `${fixture.site.origin}/`],
    });

    const again = await fixture.crawl('--format', 'csv', '--concurrency', '2');
    expect([again.exit, again.stderr]).toEqual([
      0,
      expect.stringContaining('has already been crawled: 25 pages'),
    ]);
    const [header, ...records] = read(name.replace('jsonl', 'csv')).split('\r\n').slice(0, -1);
    expect(header).toMatch(/^url,page_no,.*,title,.*,markdown$/);
    expect(records).toHaveLength(25);
    expect(records[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/,\d+,,"'=Page ""0"", with a comma",/);
    expect(records[0]).toContain('# Page 0\\n\\nSome words');

    expect((await fixture.crawl('--out', 'pages/')).exit).toBe(0);
    expect(readdirSync(join(fixture.folder, 'pages')).sort()).toEqual([
      '.holdfast.json',
      '_contents.md',
      'index.md',
      'p',
    ]);
    expect(readdirSync(join(fixture.folder, 'pages/p'))).toHaveLength(24);
    expect(read('pages/p/7.md')).toMatch(
      /^---\nurl: "http:[\s\S]+\/p\/7"\ntitle: "=Page \\"7\\", [\s\S]+---\n\n# Page 7\n/,
    );

    const piped = await fixture.crawl('--out', '-');
    expect(piped.stdout).toBe(read(name));
    expect(fixture.site.timesAsked().get('/')).toBe(1);
  });

  test('crawls again what is finished when told to, and tells what changed', async () => {
    const texts = new Map([[1, 'first']]);
    fixture.site = await startTreeSite(6, 0, (page) => texts.get(page) ?? '');
    const first = JSON.parse((await fixture.crawl('--json')).stdout);
    expect(first).toMatchObject({ status: 'completed', fetched: 6 });
    expect(first).not.toHaveProperty('changes');
    texts.set(1, 'second');
    const again = await fixture.crawl('--recrawl', '--out', 'again.jsonl');
    expect(again.stdout).toMatch(
      /fetched +6 .*\n +new +0 .*\n +changed +1 .*\n +unchanged +5 .*\n +gone +0 /,
    );
    expect(again.stdout).toContain(`before  ${first.job}, the crawl it is compared with`);
    expect(fixture.site.timesAsked().get('/')).toBe(2);
    const changes = read('again.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ url, change }) => [url.slice(fixture.site.origin.length), change]);
    expect(Object.fromEntries(changes)).toMatchObject({ '/': 'unchanged', '/p/1': 'changed' });

    const [id = ''] = /[0-9a-f-]{36}/.exec(again.stdout) ?? [];
    const holdfast = (...args: string[]) => fixture.run(args);
    expect((await holdfast('pages', 'changes', id)).stdout).toBe(`changed    ${fixture.site.origin}/p/1\n`);
    expect((await holdfast('pages', 'diff', id, `${fixture.site.origin}/p/1#top`)).stdout).toMatch(
      /^--- http.*\n\+\+\+ http.*\n@@ .* @@\n[\s\S]*\n-first\n\+second\n/,
    );
    expect(await holdfast('pages', 'changes', id, '--only', 'gone')).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: `No page is gone, compared with crawl ${first.job}.\n`,
    });
    expect(await holdfast('pages', 'changes', first.job)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('was not compared with an earlier crawl'),
    });
    expect((await holdfast('pages', 'diff', id, `${fixture.site.origin}/`)).stdout).toMatch(
      /has not changed/,
    );
    expect(await holdfast('pages', 'diff', first.job, `${fixture.site.origin}/`)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--recrawl'),
    });
    expect(await holdfast('pages', 'diff', id, `${fixture.site.origin}/nowhere`)).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(`Page not found: ${fixture.site.origin}/nowhere of job ${id}`),
    });
  }, 90_000);

  test('writes the pages of any crawl again, in any format', async () => {
    fixture.site = await startTreeSite(8);
    const { job } = JSON.parse((await fixture.crawl('--json', '--out', 'first.jsonl')).stdout);
    const holdfast = (...args: string[]) => fixture.run(args);
    const again = await holdfast('export', job, '--out', 'again.jsonl', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ job, status: 'completed', pages: 8, format: 'jsonl' });
    expect(read('again.jsonl')).toBe(read('first.jsonl'));
    expect((await holdfast('export', job, '--out', '-')).stdout).toBe(read('first.jsonl'));
    // Even what Holdfast wrote itself may be what somebody keeps.
    writeFileSync(join(fixture.folder, 'again.jsonl'), `${read('first.jsonl')}{"url": "of another crawl"}\n`);
    expect(await holdfast('export', job, '--out', 'again.jsonl')).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/again\.jsonl: it exists already.*\n.*--overwrite/),
    });
    expect(read('again.jsonl')).toContain('of another crawl');
    expect((await holdfast('export', job, '--out', 'again.jsonl', '--overwrite')).exit).toBe(0);
    expect(read('again.jsonl')).toBe(read('first.jsonl'));
    expect(await holdfast('export', job, '--format', 'md', '--out', 'pages')).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^8 pages, .* written to pages\/\.\n$/),
    });
    expect(readdirSync(join(fixture.folder, 'pages')).sort()).toEqual([
      '.holdfast.json',
      '_contents.md',
      'index.md',
      'p',
    ]);
    expect((await holdfast('export', job, '--format', 'csv')).exit).toBe(0);
    expect(readdirSync(fixture.folder).filter((name) => name.endsWith('.csv'))).toHaveLength(1);
    expect(await holdfast('export', job, '--out', 'pages.warc.gz')).toMatchObject({ exit: 0 });
    const records = gunzipSync(readFileSync(join(fixture.folder, 'pages.warc.gz'))).toString();
    expect(records.match(/^WARC-Type: conversion/gm)).toHaveLength(8);
    expect((await holdfast('export', '00000000-0000-7000-8000-000000000000')).exit).toBe(3);
    expect(await holdfast('export', job, '--format', 'docx')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('jsonl, csv, md, warc'),
    });
    expect((await holdfast('export', job, '--out', 'a/b/pages.csv')).exit).toBe(0);
    expect((await holdfast('export', job, '--out', 'c/d', '--format', 'md')).exit).toBe(0);
    expect([readdirSync(join(fixture.folder, 'a/b')), readdirSync(join(fixture.folder, 'c/d'))]).toEqual([
      ['pages.csv'],
      expect.arrayContaining(['index.md']),
    ]);
  }, 90_000);

  test('stops at Ctrl-C with everything saved, and the same command goes on', async () => {
    fixture.site = await startTreeSite(120, 20);
    const child = fixture.startCrawl('--out', 'pages.jsonl');
    let said = '';
    child.stderr?.on('data', (data) => {
      said += data;
    });
    await fixture.site.asked(40);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(said).toMatch(
      /Stopped; nothing is lost. Run the same command to continue:\n {2}(npx )?holdfast crawl http/,
    );
    const before = await storedUrls();
    expect(before.length).toBeGreaterThan(10);
    expect(urlsIn(read('pages.jsonl'))).toEqual(before);
    const [, job = ''] = /job (\S+)/.exec(said) ?? [];
    const none = await runHoldfast(
      ['export', job, '--out', 'pages.jsonl'],
      { DATABASE_URL: fixture.database.url },
      fixture.folder,
    );
    expect(none.stderr).toContain(
      `0 pages, 0 B, added to pages.jsonl, now ${before.length} pages. The crawl is paused`,
    );

    const rest = await fixture.crawl('--out', 'pages.jsonl');
    expect([rest.exit, rest.stderr]).toEqual([0, expect.stringContaining(`${before.length} pages are done`)]);
    expect(urlsIn(read('pages.jsonl'))).toEqual(await storedUrls());
    // Requests in flight were let end, so that no page was asked for twice.
    expect([...fixture.site.timesAsked().values()].filter((times) => times !== 1)).toEqual([]);
    expect(readdirSync(fixture.folder)).toEqual(['pages.jsonl']);
  });

  test.each(['jsonl', 'md'])(
    'goes on after kill -9 of everything, and its %s is as if nothing had been',
    async (format) => {
      fixture.site = await startTreeSite(150, 15);
      const options = ['--format', format, '--out', 'out'];
      for (const count of format === 'md' ? [50] : [30, 70]) {
        const child = fixture.startCrawl(...options);
        await fixture.site.asked(count);
        await killAll(child);
        // As a death in the middle of a write leaves it.
        if (format === 'jsonl')
          writeFileSync(join(fixture.folder, 'out'), '{"url":"http://x/","page_no":99,"ti', { flag: 'a' });
      }
      const last = await fixture.crawl(...options);
      expect([last.exit, last.stdout]).toEqual([0, expect.stringMatching(/fetched +150 /)]);
      await fixture.crawl('--format', format, '--out', 'fresh');
      if (format === 'jsonl') {
        expect(urlsIn(read('out'))).toHaveLength(150);
        expect(read('out')).toBe(read('fresh'));
      } else {
        const files = (name: string) => readdirSync(join(fixture.folder, name), { recursive: true }).sort();
        expect(files('out')).toEqual(files('fresh'));
        for (const file of ['index.md', 'p/31.md', 'p/149.md'])
          expect(read(`out/${file}`)).toBe(read(`fresh/${file}`));
      }
      expect(Math.max(...fixture.site.timesAsked().values())).toBeLessThanOrEqual(3);
    },
  );

  test('says why a crawl failed, and the same command tries again', async () => {
    fixture.site = await startTreeSite(0);
    const failed = await fixture.crawl();
    expect([failed.exit, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/holdfast: .*HTTP 404\n {2}Check the URL/),
    ]);
    expect(readdirSync(fixture.folder)).toEqual([]);
    const requests = fixture.site.requests.length;
    expect((await fixture.crawl()).exit).toBe(1);
    expect(fixture.site.requests.length).toBeGreaterThan(requests);
  });

  test('gives up soon on a site that cannot be reached, and begins at once when it can be', async () => {
    fixture.site = await startTreeSite(1);
    const { port } = fixture.site;
    await fixture.site.close();
    const args = ['crawl', `http://127.0.0.1:${port}/`, '--allow-private', `http://127.0.0.1:${port}`];
    const failed = await fixture.run(args);
    expect([failed.exit, failed.stderr]).toEqual([
      1,
      expect.stringContaining(
        `The site could not be reached: connection refused (http://127.0.0.1:${port})\n`,
      ),
    ]);
    expect(failed.stderr.match(/; retrying\./g)).toHaveLength(2);
    fixture.site = await startTreeSite(1, 0, () => '', port);
    expect((await fixture.run(args)).exit).toBe(0);
  }, 90_000);

  test('says what is stored when nobody reads its output any more', async () => {
    // Enough that the crawl is not through before the broken pipe is noticed.
    fixture.site = await startTreeSite(400, 20);
    const endOf = async (child: ChildProcess) => {
      let said = '';
      child.stderr?.on('data', (data) => {
        said += data;
      });
      child.stdout?.destroy();
      await once(child, 'close');
      return said;
    };
    expect(await endOf(fixture.startCrawl('--out', '-'))).toMatch(
      /its reader has closed it\n.*The crawl is paused/,
    );
    await fixture.crawl('--quiet', '--out', 'pages.jsonl');
    const said = await endOf(fixture.startCrawl('--out', '-'));
    expect(said).toMatch(/its reader has closed it\n.*Every fetched page is stored/);
    expect(said).not.toContain('paused');
  }, 90_000);

  test('says that there is no sitemap where it was to go by one', async () => {
    fixture.site = await startTreeSite(1);
    const { exit, stderr } = await fixture.crawl('--strategy', 'sitemap');
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining(`No sitemap was found at ${fixture.site.origin}/.`),
    ]);
  });
});
