import { inflateRawSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { buildApps } from './site/build-apps.ts';
import { pages, pagesThatNeedScript } from './site/content.ts';
import { frameworkSite } from './site/framework-site.ts';

const program = await browserForTests();
let scripts: ReadonlyMap<string, string> = new Map();
let renders = 0;
const fixture = new CrawlFixture({
  pages: 0,
  answer: frameworkSite(
    () => scripts,
    () => renders++,
  ),
});
beforeAll(async () => {
  if (program) scripts = await buildApps();
});
beforeEach(() => {
  renders = 0;
});

interface StoredPage {
  readonly path: string;
  readonly rendered: boolean | null;
  readonly title: string;
  readonly text: string;
}

async function storedPages(id: string): Promise<ReadonlyMap<string, StoredPage>> {
  const { rows } = await fixture.pool.query<StoredPage & { markdown: Buffer | null }>(
    `SELECT substr(url, $2) AS path, rendered, title, markdown
     FROM crawl_pages LEFT JOIN crawl_page_contents USING (job_id, url_hash)
     WHERE job_id = $1 AND outcome = 'fetched'`,
    [id, fixture.site.origin.length + 1],
  );
  return new Map(
    rows.map(({ markdown, ...row }) => [
      row.path,
      { ...row, text: markdown ? inflateRawSync(markdown).toString() : '' },
    ]),
  );
}

/** What is missing of the site, or is not of it. */
function lacks(stored: ReadonlyMap<string, StoredPage>): string[] {
  const found: string[] = [];
  for (const [path, { title, text }] of pages) {
    const page = stored.get(path);
    if (!page) found.push(`${path} is missing`);
    else if (!page.text.includes(text)) found.push(`${path} lacks its text: ${page.text.slice(0, 200)}`);
    else if (page.title !== title) found.push(`${path} has the title ${page.title}`);
  }
  for (const path of stored.keys()) if (!pages.has(path)) found.push(`${path} is no page`);
  return found;
}

describe.skipIf(!program)('a site of frameworks beside ordinary pages', { timeout: 180_000 }, () => {
  test('is found whole by auto, which then renders hardly more pages than need it', async () => {
    const first = await fixture.crawled('/');
    expect(first.status).toBe('completed');
    const stored = await storedPages(first.id);
    expect(lacks(stored)).toEqual([]);
    expect(await fixture.outcomes(first.id)).toMatchObject({
      '/moved/0': 'redirected',
      '/moved/1': 'redirected',
    });

    renders = 0;
    const second = await fixture.crawled('/', { max_depth: 49 });
    const known = await storedPages(second.id);
    expect(lacks(known)).toEqual([]);
    expect(renders).toBeGreaterThanOrEqual(pagesThatNeedScript.length);
    expect(renders).toBeLessThanOrEqual(pagesThatNeedScript.length * 1.3);
    const rendered = [...known.values()].filter((page) => page.rendered).map(({ path }) => path);
    expect(rendered.filter((path) => !pagesThatNeedScript.includes(path))).toEqual([]);
  });

  test('is taken as it comes by never, and run page by page by always', async () => {
    const never = await storedPages((await fixture.crawled('/', { render: 'never' })).id);
    expect(renders).toBe(0);
    expect(never.get('/text/1')?.text).toContain(pages.get('/text/1')?.text);
    expect(never.get('/plea/1')?.text).not.toContain(pages.get('/plea/1')?.text);
    expect([...never.values()].filter(({ rendered }) => rendered)).toEqual([]);

    const urls = ['/text/1', '/item/1', '/article/1', '/shop/3'].map(
      (path) => `${fixture.site.origin}${path}`,
    );
    const always = await storedPages((await fixture.crawled('/', { render: 'always', urls })).id);
    expect([...always.values()].map(({ rendered }) => rendered)).toEqual(Array(5).fill(true));
    for (const [path, { text }] of always) expect(text).toContain(pages.get(path)?.text);
  });
});
