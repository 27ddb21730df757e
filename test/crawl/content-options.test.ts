import { expect, test } from 'vitest';
import type { StoredPage } from '../../packages/server/src/pages/stored/page.ts';
import { readPages } from '../../packages/server/src/pages/stored/read-pages.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    const { pathname, search } = new URL(path, 'http://site.example');
    if (pathname !== '/shop') return false;
    response
      .setHeader('content-type', 'text/html')
      .end(`<title>Shop</title><body><aside class="menu">Menu <a href="/shop?page=1&b=2">one</a>
      <a href="/shop?page=2">two</a></aside><main><p>Text of the shop${search}.</p><img src="/pic.png"></main></body>`);
    return true;
  },
});

async function crawled(options: object): Promise<StoredPage[]> {
  const { id, status } = await fixture.crawled('/shop?start=1', options);
  expect(status).toBe('completed');
  const pages: StoredPage[] = [];
  for await (const page of readPages(fixture.pool, id, { html: true })) pages.push(page);
  return pages;
}

test('links that differ only in their query lead to one page, and the start keeps its own', async () => {
  expect(await crawled({})).toHaveLength(3);
  const pages = await crawled({ ignore_query: true });
  expect(pages.map(({ url }) => url.slice(fixture.site.origin.length)).sort()).toEqual([
    '/shop',
    '/shop?start=1',
  ]);
});

test('a crawl stores the selected parts, the images and the cleaned HTML of its pages', async () => {
  const options = {
    strategy: 'single',
    include_selectors: ['.menu', 'main'],
    exclude_selectors: ['a[href*="page=2"]'],
    image_links: true,
    clean_html: true,
  };
  const [page] = await crawled(options);
  const { origin } = fixture.site;
  expect(page?.markdown).toBe(
    `Menu [one](${origin}/shop?page=1&b=2)\n\nText of the shop?start=1.\n\n![](${origin}/pic.png)`,
  );
  expect(page?.structured).toMatchObject({ images: [`${origin}/pic.png`] });
  expect(page?.html).toContain('<main><p>Text of the shop?start=1.</p>');
  expect(page?.html).not.toContain('class=');
});

test('a selector that is not supported is refused before the crawl starts', async () => {
  await expect(fixture.crawl('/shop', { include_selectors: ['p:hover'] })).rejects.toThrow(
    /:hover is not supported/,
  );
});
