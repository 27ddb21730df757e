import type { IncomingMessage } from 'node:http';
import { deflateSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StoredPage } from '../../packages/server/src/pages/stored/page.ts';
import { readPages } from '../../packages/server/src/pages/stored/read-pages.ts';
import { writePdf, writeRawPdf } from '../../packages/server/src/web/documents/testing/write-pdf.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const manualOf = (origin: string) =>
  writePdf({
    title: 'The Manual',
    pages: [
      {
        texts: [{ text: 'Read this first.', y: 80 }],
        links: [{ url: `${origin}/linked`, box: [72, 70, 160, 84] }],
      },
      { texts: [{ text: 'And then this.', y: 80 }] },
    ],
  });
const bomb = () =>
  writeRawPdf(deflateSync(Buffer.alloc(300 * 1024 * 1024, ' '), { level: 1 }), '/FlateDecode');

let asked: { path: string; accept: string }[] = [];
const html = (...links: string[]) =>
  `<title>HTML</title><main><p>Text of the page.</p>${links.map((l) => `<a href="${l}">x</a>`).join('')}</main>`;

const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    const request = response.req as IncomingMessage;
    const { accept = '' } = request.headers;
    asked.push({ path, accept });
    const send = (type: string, body: string | Buffer) =>
      response.setHeader('content-type', type).end(body) && true;
    switch (path) {
      case '/docs':
        return send(
          'text/html',
          html('/manual.pdf', '/broken.pdf', '/secret.pdf', '/bomb.pdf', '/raw.pdf', '/data.json', '/fine'),
        );
      case '/manual.pdf':
        return send('application/pdf', manualOf(fixture.site.origin));
      case '/raw.pdf':
        return send('application/octet-stream', manualOf(fixture.site.origin));
      case '/broken.pdf':
        return send('application/pdf', manualOf('').subarray(0, 300));
      case '/secret.pdf':
        return send('application/pdf', writePdf({ pages: [{ texts: [] }], isEncrypted: true }));
      case '/bomb.pdf':
        return send('application/pdf', bomb());
      case '/data.json':
        return send('application/json; charset=utf-8', '{"a": [1,  2]}');
      case '/fine':
      case '/linked':
        return send('text/html', html());
      case '/eager':
      case '/eager/next':
        response.setHeader('vary', 'Accept');
        if (accept.includes('text/markdown'))
          return send('text/markdown', '# Markdown\n\nText and [next](/eager/next).');
        return send('text/html', html('/eager/next'));
      case '/only.md':
        return send(
          'text/markdown; charset=utf-8',
          '---\ntitle: "Only"\n---\n# Heading\n\nSee [that](fine) and <https://elsewhere.example/>.\n',
        );
    }
    return false;
  },
});
beforeEach(() => {
  asked = [];
});

async function storedPages(job: string): Promise<StoredPage[]> {
  const pages: StoredPage[] = [];
  for await (const page of readPages(fixture.pool, job)) pages.push(page);
  return pages;
}

const stored = async (job: string, path: string) =>
  (await storedPages(job)).find(({ url }) => new URL(url).pathname === path);

describe('documents', () => {
  test('are pages of their crawl; those that cannot be read fail alone', async () => {
    const job = await fixture.crawled('/docs', { attempts: 1 });
    expect(job.status).toBe('completed');
    expect(await fixture.outcomes(job.id)).toMatchObject({
      '/manual.pdf': 'fetched',
      '/raw.pdf': 'fetched',
      '/broken.pdf': 'failed: document_damaged',
      '/secret.pdf': 'failed: document_encrypted',
      '/bomb.pdf': 'failed: page_unreadable',
      '/data.json': 'fetched',
      '/fine': 'fetched',
      // By a link annotation alone.
      '/linked': 'fetched',
    });
    expect(await stored(job.id, '/manual.pdf')).toMatchObject({
      title: 'The Manual',
      structured: { document: { type: 'pdf', pages: 2 } },
      markdown: expect.stringMatching(
        /^# The Manual\n\n<a id="page-1"><\/a>\n\n\[Read this first\.\]\(http.*\/linked\)\n\n<a id="page-2">/,
      ),
    });
    expect(await stored(job.id, '/data.json')).toMatchObject({ markdown: '{"a": [1,  2]}' });
  });

  test('are not asked for where nobody wants them', async () => {
    const job = await fixture.crawled('/docs', { documents: false });
    expect(await fixture.outcomes(job.id)).toMatchObject({
      '/manual.pdf': 'skipped: content_type',
      '/fine': 'fetched',
    });
    const { rows } = await fixture.pool.query(
      "SELECT content_type, bytes > 500 AS has_size FROM crawl_pages WHERE job_id = $1 AND url LIKE '%/manual.pdf'",
      [job.id],
    );
    expect(rows).toEqual([{ content_type: 'application/pdf', has_size: true }]);
  });
});

describe('markdown', () => {
  test('is offered, but a site that sends it where HTML is preferred is asked for the page with its links', async () => {
    const job = await fixture.crawled('/eager');
    expect(await stored(job.id, '/eager')).toMatchObject({ title: 'HTML' });
    expect(await fixture.outcomes(job.id)).toMatchObject({ '/eager': 'fetched', '/eager/next': 'fetched' });
    const pages = asked.filter(({ path }) => path.startsWith('/eager'));
    expect(pages.map(({ accept }) => accept.includes('text/markdown'))).toEqual([true, false, false]);
  });

  test('is taken as it is where it is preferred, and compared as such in a recrawl', async () => {
    const options = { prefer_markdown: true, recrawl: true };
    const first = await fixture.crawled('/eager', options);
    expect(await stored(first.id, '/eager')).toMatchObject({
      title: 'Markdown',
      content_type: 'text/markdown',
      markdown: '# Markdown\n\nText and [next](/eager/next).',
    });
    const second = await fixture.crawled('/eager', options);
    expect((await storedPages(second.id)).map(({ change }) => change)).toEqual(['unchanged', 'unchanged']);
  });

  test('names its title and its links', async () => {
    const job = await fixture.crawled('/only.md');
    expect(await stored(job.id, '/only.md')).toMatchObject({
      title: 'Only',
      structured: { headings: [{ level: 1, text: 'Heading' }] },
    });
    expect(await fixture.outcomes(job.id)).toMatchObject({ '/only.md': 'fetched', '/fine': 'fetched' });
  });
});
