import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSite } from '../../packages/server/src/fetch/testing/local-site.ts';
import { readPages } from '../../packages/server/src/pages/read-pages.ts';
import { actOnJob } from '../../packages/server/src/queue/act-on-job.ts';
import { claimJobs } from '../../packages/server/src/queue/claim-jobs.ts';
import { releaseJobs } from '../../packages/server/src/queue/release-jobs.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { crawlLane } from '../queue-fixture/queue-fixture.ts';
import { runHoldfast, startHoldfast } from './run-holdfast.ts';
import { startTreeSite, type TreeSite } from './tree-site.ts';

let database: TestDatabase;
let folder: string;
let site: TreeSite;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-crawl-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await killAll(child);
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

const argumentsFor = (...options: string[]) => [
  'crawl',
  `${site.origin}/`,
  ...['--allow-private', site.origin, '--no-discover'],
  ...options,
];
const crawl = (...options: string[]) =>
  runHoldfast(argumentsFor(...options), { DATABASE_URL: database.url }, folder);

function startCrawl(...options: string[]): ChildProcess {
  const child = startHoldfast(argumentsFor(...options), { DATABASE_URL: database.url }, folder);
  children.push(child);
  return child;
}

/** kill -9 of a command and of the runners it started. */
async function killAll(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const runners = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  for (const pid of runners.filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
  await exited;
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const urlsIn = (jsonl: string) =>
  jsonl
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { url: string }).url);

async function storedUrls(): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM crawl_jobs ORDER BY id DESC LIMIT 1',
  );
  const urls: string[] = [];
  for await (const page of readPages(database.pool, rows[0]?.id ?? '')) urls.push(page.url);
  return urls;
}

describe('holdfast crawl', () => {
  test('crawls a site into a file, says so when asked again, and writes every format', async () => {
    site = await startTreeSite(25);
    const first = await crawl();
    expect([first.exit, first.stderr]).toEqual([0, expect.stringContaining(`Crawling ${site.origin}/`)]);
    expect(first.stdout).toMatch(
      /fetched +25 .*\n[\s\S]*output +127\.0\.0\.1-\d+-[0-9a-f]{6}\.jsonl[\s\S]*holdfast jobs show/,
    );
    const [name = ''] = readdirSync(folder);
    expect(name).toMatch(new RegExp(`^127.0.0.1-${site.port}-[0-9a-f]{6}.jsonl$`));
    const pages = read(name)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(urlsIn(read(name))).toEqual(await storedUrls());
    expect(new Set(pages.map(({ url }) => url)).size).toBe(25);
    expect(pages[0]).toMatchObject({
      url: `${site.origin}/`,
      title: '=Page "0", with a comma',
      language: 'en',
      status: 200,
      depth: 0,
      markdown: expect.stringContaining('# Page 0'),
      links: [`${site.origin}/p/1`, `${site.origin}/p/2`, `${site.origin}/`],
    });

    const again = await crawl('--format', 'csv', '--concurrency', '2');
    expect([again.exit, again.stderr]).toEqual([0, expect.stringContaining('is crawled already: 25 pages')]);
    const [header, ...records] = read(name.replace('jsonl', 'csv')).split('\r\n').slice(0, -1);
    expect(header).toMatch(/^n,url,.*,title,.*,markdown$/);
    expect(records).toHaveLength(25);
    expect(records[0]).toContain(`,${site.origin}/,,"'=Page ""0"", with a comma",`);
    expect(records[0]).toContain('# Page 0\\n\\nSome words');

    expect((await crawl('--out', 'pages/')).exit).toBe(0);
    expect(readdirSync(join(folder, 'pages')).sort()).toEqual([
      '.holdfast.json',
      '_contents.md',
      'index.md',
      'p',
    ]);
    expect(readdirSync(join(folder, 'pages/p'))).toHaveLength(24);
    expect(read('pages/p/7.md')).toMatch(
      /^---\nurl: "http:[\s\S]+\/p\/7"\ntitle: "=Page \\"7\\", [\s\S]+---\n\n# Page 7\n/,
    );

    const piped = await crawl('--out', '-');
    expect(piped.stdout).toBe(read(name));
    expect(site.timesAsked().get('/')).toBe(1);
  });

  test('crawls again what is finished when told to, and tells what changed', async () => {
    const texts = new Map([[1, 'first']]);
    site = await startTreeSite(6, 0, (page) => texts.get(page) ?? '');
    const first = JSON.parse((await crawl('--json')).stdout);
    expect(first).toMatchObject({ status: 'completed', fetched: 6 });
    expect(first).not.toHaveProperty('changes');
    texts.set(1, 'second');
    const again = await crawl('--recrawl', '--out', 'again.jsonl');
    expect(again.stdout).toMatch(
      /fetched +6 .*\n +new +0 .*\n +changed +1 .*\n +unchanged +5 .*\n +gone +0 /,
    );
    expect(site.timesAsked().get('/')).toBe(2);
    const changes = read('again.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ url, change }) => [url.slice(site.origin.length), change]);
    expect(Object.fromEntries(changes)).toMatchObject({ '/': 'unchanged', '/p/1': 'changed' });

    const [id = ''] = /[0-9a-f-]{36}/.exec(again.stdout) ?? [];
    const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: database.url }, folder);
    expect((await holdfast('pages', 'changes', id)).stdout).toBe(`changed    ${site.origin}/p/1\n`);
    expect((await holdfast('pages', 'diff', id, `${site.origin}/p/1#top`)).stdout).toMatch(
      /^--- http.*\n\+\+\+ http.*\n@@ .* @@\n[\s\S]*\n-first\n\+second\n/,
    );
    expect(await holdfast('pages', 'changes', id, '--only', 'gone')).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: `No page is gone, in comparison with crawl ${first.job}.\n`,
    });
    expect(await holdfast('pages', 'changes', first.job)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('was not compared with an earlier crawl'),
    });
    expect((await holdfast('pages', 'diff', id, `${site.origin}/`)).stdout).toMatch(/is the same as before/);
    expect(await holdfast('pages', 'diff', first.job, `${site.origin}/`)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--recrawl'),
    });
    expect(await holdfast('pages', 'diff', id, `${site.origin}/nowhere`)).toMatchObject({ exit: 3 });
  }, 90_000);

  test('writes the pages of any crawl again, in any format', async () => {
    site = await startTreeSite(8);
    const { job } = JSON.parse((await crawl('--json', '--out', 'first.jsonl')).stdout);
    const holdfast = (...args: string[]) => runHoldfast(args, { DATABASE_URL: database.url }, folder);
    const again = await holdfast('export', job, '--out', 'again.jsonl', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ job, status: 'completed', pages: 8, format: 'jsonl' });
    expect(read('again.jsonl')).toBe(read('first.jsonl'));
    expect((await holdfast('export', job, '--out', '-')).stdout).toBe(read('first.jsonl'));
    // Even what Holdfast wrote itself may be what somebody keeps.
    writeFileSync(join(folder, 'again.jsonl'), `${read('first.jsonl')}{"url": "of another crawl"}\n`);
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
    expect(readdirSync(join(folder, 'pages')).sort()).toEqual([
      '.holdfast.json',
      '_contents.md',
      'index.md',
      'p',
    ]);
    expect((await holdfast('export', job, '--format', 'csv')).exit).toBe(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.csv'))).toHaveLength(1);
    expect(await holdfast('export', job, '--out', 'pages.warc.gz')).toMatchObject({ exit: 0 });
    const records = gunzipSync(readFileSync(join(folder, 'pages.warc.gz'))).toString();
    expect(records.match(/^WARC-Type: conversion/gm)).toHaveLength(8);
    expect((await holdfast('export', '00000000-0000-7000-8000-000000000000')).exit).toBe(3);
    expect(await holdfast('export', job, '--format', 'docx')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('jsonl, csv, md, warc'),
    });
    expect(await holdfast('export', job, '--out', 'no/folder.csv')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('its folder does not exist'),
    });
  }, 90_000);

  test('stops at Ctrl-C with everything saved, and the same command goes on', async () => {
    site = await startTreeSite(120, 20);
    const child = startCrawl('--out', 'pages.jsonl');
    let said = '';
    child.stderr?.on('data', (data) => {
      said += data;
    });
    await site.asked(40);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect(said).toMatch(
      /Stopped; nothing is lost. Go on with the same command:\n {2}(npx )?holdfast crawl http/,
    );
    const before = await storedUrls();
    expect(before.length).toBeGreaterThan(10);
    expect(urlsIn(read('pages.jsonl'))).toEqual(before);
    const [, job = ''] = /job (\S+)/.exec(said) ?? [];
    const none = await runHoldfast(
      ['export', job, '--out', 'pages.jsonl'],
      { DATABASE_URL: database.url },
      folder,
    );
    expect(none.stderr).toContain(
      `0 pages, 0 B, added to pages.jsonl, which has ${before.length} pages now. The crawl is paused`,
    );

    const rest = await crawl('--out', 'pages.jsonl');
    expect([rest.exit, rest.stderr]).toEqual([0, expect.stringContaining(`${before.length} pages are done`)]);
    expect(urlsIn(read('pages.jsonl'))).toEqual(await storedUrls());
    // Requests in flight were let end, so that no page was asked for twice.
    expect([...site.timesAsked().values()].filter((times) => times !== 1)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['pages.jsonl']);
  });

  test.each(['jsonl', 'md'])(
    'goes on after kill -9 of everything, and its %s is as if nothing had been',
    async (format) => {
      site = await startTreeSite(150, 15);
      const options = ['--format', format, '--out', 'out'];
      for (const count of format === 'md' ? [50] : [30, 70]) {
        const child = startCrawl(...options);
        await site.asked(count);
        await killAll(child);
        // As a death in the middle of a write leaves it.
        if (format === 'jsonl') writeFileSync(join(folder, 'out'), '{"n":99,"url":"htt', { flag: 'a' });
      }
      const last = await crawl(...options);
      expect([last.exit, last.stdout]).toEqual([0, expect.stringMatching(/fetched +150 /)]);
      await crawl('--format', format, '--out', 'fresh');
      if (format === 'jsonl') {
        expect(urlsIn(read('out'))).toHaveLength(150);
        expect(read('out')).toBe(read('fresh'));
      } else {
        const files = (name: string) => readdirSync(join(folder, name), { recursive: true }).sort();
        expect(files('out')).toEqual(files('fresh'));
        for (const file of ['index.md', 'p/31.md', 'p/149.md'])
          expect(read(`out/${file}`)).toBe(read(`fresh/${file}`));
      }
      expect(Math.max(...site.timesAsked().values())).toBeLessThanOrEqual(3);
    },
  );

  test('says why a crawl failed, and the same command tries again', async () => {
    site = await startTreeSite(0);
    const failed = await crawl();
    expect([failed.exit, failed.stderr]).toEqual([
      1,
      expect.stringMatching(/holdfast: .*HTTP 404\n {2}Check the URL/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
    const requests = site.requests.length;
    expect((await crawl()).exit).toBe(1);
    expect(site.requests.length).toBeGreaterThan(requests);
  });

  test('gives up soon on a site that cannot be reached, and begins at once when it can be', async () => {
    site = await startTreeSite(1);
    const { port } = site;
    await site.close();
    const args = ['crawl', `http://127.0.0.1:${port}/`, '--allow-private', `http://127.0.0.1:${port}`];
    const env = { DATABASE_URL: database.url };
    const failed = await runHoldfast(args, env, folder);
    expect([failed.exit, failed.stderr]).toEqual([
      1,
      expect.stringContaining(
        `The site could not be reached: connection refused (http://127.0.0.1:${port})\n`,
      ),
    ]);
    expect(failed.stderr.match(/trying again/g)).toHaveLength(2);
    site = await startTreeSite(1, 0, () => '', port);
    expect((await runHoldfast(args, env, folder)).exit).toBe(0);
  }, 90_000);

  test('says what is stored when nobody reads its output any more', async () => {
    // Enough that the crawl is not through before the broken pipe is noticed.
    site = await startTreeSite(400, 20);
    const endOf = async (child: ChildProcess) => {
      let said = '';
      child.stderr?.on('data', (data) => {
        said += data;
      });
      child.stdout?.destroy();
      await once(child, 'close');
      return said;
    };
    expect(await endOf(startCrawl('--out', '-'))).toMatch(/its reader is gone\n.*The crawl is paused/);
    await crawl('--quiet', '--out', 'pages.jsonl');
    const said = await endOf(startCrawl('--out', '-'));
    expect(said).toMatch(/its reader is gone\n.*Every page that was fetched is stored/);
    expect(said).not.toContain('paused');
  }, 90_000);

  test('does not fetch a private address that was not allowed, and says how to allow it', async () => {
    site = await startTreeSite(1);
    const outcome = await runHoldfast(['crawl', `${site.origin}/`], { DATABASE_URL: database.url }, folder);
    expect([outcome.exit, outcome.stderr]).toEqual([
      1,
      expect.stringContaining(`--allow-private ${site.origin}`),
    ]);
    expect(outcome.stderr.match(/The address is not allowed/g)).toHaveLength(1);
    expect(site.connections()).toBe(0);
  });

  test.each([
    ['with a slash at its end', ({ port }: TreeSite) => `http://127.0.0.1:${port}/`],
    ['in capitals', ({ port }: TreeSite) => `HTTP://127.0.0.1:${port}`],
  ])('fetches an origin that was allowed %s', async (_, spelt) => {
    site = await startTreeSite(3);
    const args = ['crawl', `${site.origin}/`, '--no-discover', '--json', '--allow-private', spelt(site)];
    const { exit, stdout } = await runHoldfast(args, { DATABASE_URL: database.url }, folder);
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { status: 'completed', fetched: 3 }]);
  });

  test('names the origin that it was led to and may not fetch, not the one that it may', async () => {
    const shop = await startSite((_, response) =>
      response.writeHead(302, { location: 'http://10.0.0.1/x' }).end(),
    );
    const args = ['crawl', `${shop.origin}/`, '--no-discover', '--allow-private', shop.origin];
    const { exit, stderr } = await runHoldfast(args, { DATABASE_URL: database.url }, folder);
    await shop.close();
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/--allow-private http:\/\/10\.0\.0\.1\n/)]);
    expect(stderr).not.toContain(`--allow-private ${shop.origin}`);
  });

  test('says that there is no sitemap where it was to go by one', async () => {
    site = await startTreeSite(1);
    const { exit, stderr } = await crawl('--strategy', 'sitemap');
    expect([exit, stderr]).toEqual([1, expect.stringContaining(`No sitemap was found at ${site.origin}/.`)]);
  });

  describe('that goes on without leave for what it needs', () => {
    const needed = () => `The address is not allowed: ${site.origin}\n`;
    const latest = async () => {
      const { rows } = await database.pool.query<{ id: string; status: string }>(
        'SELECT id, status FROM crawl_jobs ORDER BY id DESC LIMIT 1',
      );
      return rows[0] ?? { id: '', status: '' };
    };
    const stopHalfway = async () => {
      site = await startTreeSite(60, 20);
      const child = startCrawl('--out', 'pages.jsonl');
      await site.asked(10);
      child.kill('SIGINT');
      await once(child, 'close');
    };
    const withoutLeave = () => ['crawl', `${site.origin}/`, '--no-discover', '--out', 'pages.jsonl'];

    test('ends with that reason, and leaves the crawl as it was', async () => {
      await stopHalfway();
      const { exit, stderr } = await runHoldfast(withoutLeave(), { DATABASE_URL: database.url }, folder);
      expect([exit, stderr]).toEqual([1, expect.stringContaining(needed())]);
      expect(stderr).toContain(`Give it again: --allow-private ${site.origin}\n`);
      expect((await latest()).status).toBe('paused');
    });

    test('follows a worker that has it, and ends with that reason when that one lets go of it', async () => {
      await stopHalfway();
      const { id } = await latest();
      await actOnJob(database.pool, 'resume', id);
      const [held] = await claimJobs(database.pool, { lanes: [crawlLane], limit: 1, workerId: 'w1' });
      expect(held?.id).toBe(id);
      const child = startHoldfast(withoutLeave(), { DATABASE_URL: database.url }, folder);
      children.push(child);
      let said = '';
      const follows = new Promise<void>((resolve) => {
        child.stderr?.on('data', (data) => {
          said += data;
          if (said.includes('Worker w1 runs this crawl')) resolve();
        });
      });
      await follows;
      await releaseJobs(database.pool, held ? [{ ...held, reason: 'stopping' }] : [], 'supervisor:w1');
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(said).toContain(needed());
      expect((await latest()).status).toBe('paused');
    });
  });

  test.each<[string, string[], RegExp]>([
    [
      'a user agent that is no header',
      ['https://a.example', '--user-agent', 'ü'],
      /--user-agent must be made of/,
    ],
    ['a URL that is none', ['nonsense'], /The URL cannot be fetched: nonsense/],
    ['a URL without its scheme', ['example.com/docs'], /with its scheme: https:\/\/example\.com\/docs/],
    ['another scheme', ['ftp://example.com/'], /The URL cannot be fetched/],
    [
      'a pattern that is none',
      ['https://a.example', '--include', '/(/'],
      /the pattern \/\(\/ cannot be used/,
    ],
    ['a pattern that keeps the start out', ['https://a.example/x', '--exclude', '/x'], /--exclude keeps out/],
    ['an origin that is none', ['https://a.example', '--allow-private', 'localhost'], /is no origin/],
    ['a depth out of range', ['https://a.example', '--depth', '-1'], /--depth must be at least 0\n/],
    ['a limit of nothing', ['https://a.example', '--limit', '0'], /--limit must be at least 1\n/],
    ['a limit that is no number', ['https://a.example', '--limit', 'x'], /whole number/],
    [
      'a format nobody knows',
      ['https://a.example', '--format', 'xlsx'],
      /Allowed choices are jsonl, csv, md/,
    ],
    ['markdown files to a pipe', ['https://a.example', '--format', 'md', '--out', '-'], /standard output/],
    [
      'a folder that is not there',
      ['https://a.example', '--out', 'no/such.jsonl'],
      /its folder does not exist/,
    ],
    ['a folder as a file', ['https://a.example', '--out', '.', '--format', 'csv'], /it is a folder/],
    ['the file of somebody else', ['https://a.example', '--out', 'notes.jsonl'], /not written by Holdfast/],
  ])('%s is bad input', async (_, args, message) => {
    writeFileSync(join(folder, 'notes.jsonl'), 'my notes\n');
    const outcome = await runHoldfast(['crawl', ...args], { DATABASE_URL: database.url }, folder);
    expect(outcome.exit).toBe(2);
    expect(outcome.stderr).toMatch(/^holdfast: /);
    expect(outcome.stderr).toMatch(message);
    expect(read('notes.jsonl')).toBe('my notes\n');
    const { rows } = await database.pool.query(
      "SELECT FROM crawl_jobs WHERE payload ->> 'url' LIKE '%a.example%'",
    );
    expect(rows).toEqual([]);
  });

  test('says that there is no database', async () => {
    const env = { DATABASE_URL: 'postgresql://me@127.0.0.1:1/db' };
    expect(await runHoldfast(['crawl', 'https://a.example/'], env, folder)).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('The database does not answer'),
    });
  });
});
