import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseOutput } from '../../packages/server/src/pages/export/choose-output.ts';
import { linksInMarkdown, urlInMarkdown } from '../../packages/server/src/pages/export/markdown-file.ts';
import { PageExporter } from '../../packages/server/src/pages/export/page-exporter.ts';
import type { OutputFormat } from '../../packages/server/src/pages/export/page-output.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { hasPython } from '../has-python.ts';
import { readWarc } from './read-warc.ts';

interface SitePage {
  readonly links?: readonly string[];
  /** Whatever differs from one answer to the next, and is no part of the text. */
  readonly nonce?: string;
  readonly etag?: string;
  readonly redirect?: string;
}

/** What the site has now. */
let pages: Record<string, SitePage> = {};

function bodyOf(path: string, { links = [], nonce = '' }: SitePage): Buffer {
  const anchors = links.map((link) => `<a href="${link}">to ${link}</a>`);
  const html = `<!doctype html><meta name="nonce" content="${nonce}"><title>Über ${path} [1]</title><main><h1>Über ${path}</h1>
    <p>${'Words that make a paragraph long enough. '.repeat(8)}</p><p>${anchors.join(' ')}</p>
    <pre><code>[in code](${fixture.site.origin}/guide)</code></pre></main>`;
  return Buffer.from(html, 'latin1');
}

function answer(path: string, response: ServerResponse, request: IncomingMessage): boolean {
  const page = pages[path];
  if (!page) return false;
  const { etag, redirect } = page;
  if (redirect) {
    response.writeHead(301, { location: redirect }).end();
    return true;
  }
  if (etag) response.setHeader('etag', etag);
  if (etag && request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return true;
  }
  response.setHeader('content-type', 'text/html; charset=iso-8859-1');
  response.setHeader('set-cookie', 'session=secret');
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(bodyOf(path, page)));
  return true;
}

const fixture = new CrawlFixture({ pages: 0, answer });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-exports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function exported(jobId: string, format: OutputFormat, name: string): Promise<string> {
  const path = join(folder, name);
  const seedHost = new URL(fixture.site.origin).host;
  const output = await chooseOutput({ path, format, seedHost, overwrite: false });
  await output.open({ db: fixture.pool, jobId, anew: true });
  await new PageExporter(fixture.pool, jobId, output).finish(true);
  return path;
}

const pathOf = (url = '') => url.slice(fixture.site.origin.length);

describe('a crawl that keeps answers', () => {
  const options = { keep_bodies: true, discover: false, recrawl: true };

  function responses(file: string) {
    const found = readWarc(file).filter(({ fields }) => fields['warc-type'] === 'response');
    return Object.fromEntries(found.map((record) => [pathOf(record.fields['warc-target-uri']), record]));
  }

  test.runIf(hasPython)(
    'gives them to WARC as they came, also those that a recrawl did not ask for again',
    async () => {
      pages = { '/': { links: ['/fixed', '/nonce'] }, '/fixed': { etag: '"1"' }, '/nonce': { nonce: 'a' } };
      const first = await fixture.crawled('/', options);
      const before = responses(await exported(first.id, 'warc', 'first.warc.gz'));
      expect(Object.keys(before).sort()).toEqual(['/', '/fixed', '/nonce']);
      for (const [path, { payload, http, fields }] of Object.entries(before)) {
        expect(payload).toEqual(bodyOf(path, pages[path] ?? {}));
        expect(http).toMatchObject({
          status: 200,
          headers: { 'content-type': 'text/html; charset=iso-8859-1', 'x-orig-content-encoding': 'gzip' },
        });
        expect(http?.headers).not.toHaveProperty('set-cookie');
        expect(fields['warc-ip-address']).toBe('127.0.0.1');
      }

      const { rows } = await fixture.pool.query<{ count: number }>(
        'SELECT count(*) FROM crawl_page_contents',
      );
      pages['/nonce'] = { nonce: 'b' };
      const second = await fixture.crawled('/', options);
      await checkInvariants(fixture.pool, second.id);
      const after = responses(await exported(second.id, 'warc', 'second.warc'));
      // Its text is the same, but it is another answer.
      expect(after['/nonce']?.payload).toEqual(bodyOf('/nonce', { nonce: 'b' }));
      expect(after['/fixed']?.payload).toEqual(before['/fixed']?.payload);
      expect(after['/fixed']?.fields['warc-date']).toBe(before['/fixed']?.fields['warc-date']);
      const now = await fixture.pool.query<{ count: number }>('SELECT count(*) FROM crawl_page_contents');
      expect((now.rows[0]?.count ?? 0) - (rows[0]?.count ?? 0)).toBe(1);
    },
  );

  test('stores nothing of them where they are not asked for', async () => {
    pages = { '/': {} };
    const { id } = await fixture.crawled('/', { discover: false });
    const { rows } = await fixture.pool.query(
      'SELECT body, answer FROM crawl_page_contents WHERE job_id = $1',
      [id],
    );
    expect(rows).toEqual([{ body: null, answer: null }]);
  });
});

describe('a folder of markdown files', () => {
  const filesIn = (path: string) =>
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .sort();

  test('every link to a page of the export is relative and leads to it; others stay as they are', async () => {
    const links = [
      '/',
      '/guide',
      '/Guide',
      '/guide/',
      '/guide/st%C3%BCck.html',
      '/search?q=a b',
      '/old',
      '/_contents',
    ];
    pages = {
      ...Object.fromEntries(links.map((path) => [new URL(path, 'http://a').href.slice(8), {}])),
      '/old': { redirect: '/older' },
      '/older': { redirect: '/guide/' },
    };
    for (const path of Object.keys(pages))
      pages[path] = { ...pages[path], links: [...links, '/missing', 'https://elsewhere.example/guide'] };
    const job = await fixture.crawled('/', { discover: false });
    const path = await exported(job.id, 'md', 'pages');
    const files = filesIn(path);
    expect(files).toHaveLength(links.length - 1 + 1);
    const reached = new Set<string>();
    for (const name of files) {
      const text = readFileSync(join(path, name), 'utf8');
      const targets = linksInMarkdown(text);
      for (const target of targets) {
        if (/^https?:/.test(target)) continue;
        const file = join(path, dirname(name), decodeURIComponent(target));
        expect(existsSync(file) && statSync(file).isFile(), `${target} in ${name}`).toBe(true);
        reached.add(relative(path, file));
      }
      if (name === '_contents.md') {
        expect(targets).toHaveLength(files.length - 1);
        expect(text).toContain('- [Über / \\[1\\]](index.md)');
        continue;
      }
      expect(targets.filter((target) => /^https?:/.test(target)).sort()).toEqual([
        `${fixture.site.origin}/missing`,
        'https://elsewhere.example/guide',
      ]);
      expect(text).toContain(`[in code](${fixture.site.origin}/guide)`);
      expect(text).toMatch(/^---\nurl: "[^\n]*"\ntitle: "Über.*\ncontent_hash: ".*\nfetched_at: ".*\n---\n/s);
    }
    expect([...reached].sort()).toEqual(files.filter((name) => name !== '_contents.md'));
    // What redirects lead to is the page behind them.
    const home = readFileSync(join(path, 'index.md'), 'utf8');
    const [, old] = /\[to \/old\]\(([^)]*)\)/.exec(home) ?? [];
    expect(pathOf(urlInMarkdown(readFileSync(join(path, String(old)), 'utf8')))).toBe('/guide/');

    const before = files.map((name) => readFileSync(join(path, name), 'utf8'));
    expect(filesIn(await exported(job.id, 'md', 'again'))).toEqual(files);
    expect(files.map((name) => readFileSync(join(folder, 'again', name), 'utf8'))).toEqual(before);
  });
});
