import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { preferencesOfSource } from '../../packages/server/src/governor/robots/content-preferences.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'preferences-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = new CrawlFixture({
  pages: 0,
  robots: `User-agent: *
Content-Signal: /closed ai-input=no
Allow: /
License: https://example.com/rsl.xml
User-agent: other
Disallow: /closed
`,
  answer: (path, response) => {
    const page = (...links: string[]) => {
      const list = links.map((link) => `<a href="${link}">x</a>`).join('');
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>${path}</title><main><p>Text.</p>${list}</main>`);
      return true;
    };
    if (path === '/start') return page('/closed/1', '/paid', '/open');
    if (path === '/closed/1' || path === '/open') return page();
    if (path === '/paid') {
      response.writeHead(402, { 'crawler-price': 'USD 0.01' }).end();
      return true;
    }
    return false;
  },
});
const database = () => ({ DATABASE_URL: fixture.pool.options.connectionString ?? '' });

test('what a site asks of users of its content is recorded, shown, and kept in exports that ask for it', async () => {
  const { id } = await fixture.crawled('/start', { attempts: 1 });
  expect(await fixture.outcomes(id)).toMatchObject({ '/closed/1': 'fetched', '/open': 'fetched' });
  const source = `host:${new URL(fixture.site.origin).host}`;
  expect(await preferencesOfSource(fixture.pool, source)).toMatchObject([
    {
      origin: fixture.site.origin,
      kind: 'content-signal',
      agents: ['*'],
      path: '/closed',
      value: 'ai-input=no',
    },
    { kind: 'license', agents: [], value: 'https://example.com/rsl.xml' },
  ]);
  const shown = await runHoldfast(['sources', 'show', source], database());
  expect(shown.stdout).toMatch(/content-signal +ai-input=no at \/closed/);
  expect(shown.stdout).toMatch(/license +https:\/\/example\.com\/rsl\.xml/);

  const out = join(folder, 'pages.jsonl');
  const exported = await runHoldfast(['export', id, '--out', out, '--skip-no-ai', '--json'], database());
  expect(JSON.parse(exported.stdout)).toMatchObject({ pages: 2, skipped: 1 });
  const urls = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => new URL(JSON.parse(line).url).pathname);
  expect(urls.sort()).toEqual(['/open', '/start']);
});

test('a price is recorded and not paid', async () => {
  const { id } = await fixture.crawled('/paid', { attempts: 1 });
  const { rows } = await fixture.pool.query(
    'SELECT outcome, status, reason, message FROM crawl_pages WHERE job_id = $1 AND status = 402',
    [id],
  );
  expect(rows).toMatchObject([
    {
      outcome: 'failed',
      status: 402,
      reason: 'http_402',
      message: expect.stringMatching(/asks USD 0\.01 .* Nothing was paid/),
    },
  ]);
});

test('robots.txt may know the crawler by another name than its user agent', async () => {
  const { id } = await fixture.crawled('/start', {
    attempts: 1,
    user_agent: 'Example/1.0',
    robots_token: 'other',
  });
  expect(await fixture.outcomes(id)).toMatchObject({ '/closed/1': 'skipped: robots', '/open': 'fetched' });
});
