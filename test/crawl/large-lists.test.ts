import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const mebibyte = 1024 * 1024;
const pages = 200;

/** A sitemap of so many MiB: what stands beside the URLs makes it large. */
function sitemap(megabytes: number, entries = pages): Buffer {
  // As compressible as text, not as a bomb.
  const size = (megabytes * mebibyte) / entries;
  const noise = randomBytes(size / 4).toString('base64');
  const padding = `<image:caption>${noise}${'x'.repeat(size - noise.length)}</image:caption>`;
  const urls = Array.from(
    { length: entries },
    (_, i) => `<url><loc>${fixture.site.origin}/page/${i}</loc>${padding}</url>`,
  );
  return Buffer.from(`<urlset>${urls.join('')}</urlset>`);
}

const longUrl = `/${'x'.repeat(5_000)}`;
const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    if (path === '/large.xml') response.end(sitemap(12));
    else if (path === '/large.xml.gz') response.end(gzipSync(sitemap(12)));
    else if (path === '/coded.xml') {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(sitemap(12)));
    } else if (path === '/huge.xml') response.end(sitemap(60));
    else if (path === '/long.xml') {
      // The last of them lie beyond the limit.
      const foreign = '<url><loc>https://elsewhere.example/</loc></url>'.repeat(49_990);
      const own = Array.from({ length: 30 }, (_, i) => `<url><loc>/page/${i}</loc></url>`).join('');
      response.end(`<urlset><url><loc>${longUrl}</loc></url>${foreign}${own}</urlset>`);
    } else if (path === '/links') {
      const links = Array.from({ length: 50_010 }, (_, i) => `<a href="/out/${i}">x</a>`).join('');
      response.setHeader('content-type', 'text/html').end(`<a href="${longUrl}">long</a>${links}`);
    } else response.setHeader('content-type', 'text/html').end(`<main><p>Text of ${path}.</p></main>`);
    return true;
  },
});

async function countsOf(id: string) {
  await checkInvariants(fixture.pool, id);
  const { rows } = await fixture.pool.query(
    `SELECT fetched, off_scope, (SELECT reason FROM crawl_pages WHERE job_id = $1 AND kind = 'sitemap') AS list
     FROM crawl_states WHERE job_id = $1`,
    [id],
  );
  return rows[0];
}

test.each(['/large.xml', '/large.xml.gz', '/coded.xml'])(
  'a sitemap of 12 MB is read whole: %s',
  async (path) => {
    const { id } = await fixture.crawled(path, { strategy: 'sitemap' });
    expect(await countsOf(id)).toEqual({ fetched: pages, off_scope: {}, list: 'sitemap' });
  },
  60_000,
);

test('what a sitemap lists within 50 MB is crawled, and the list says that it was cut', async () => {
  const { id } = await fixture.crawled('/huge.xml', { strategy: 'sitemap' });
  const { fetched, list } = await countsOf(id);
  expect(list).toBe('sitemap_cut');
  expect(fetched).toBeGreaterThanOrEqual(Math.floor((pages * 50) / 60) - 1);
  expect(fetched).toBeLessThan(pages);
}, 60_000);

test('entries beyond 50,000, and those that are too long, are counted', async () => {
  const { id } = await fixture.crawled('/long.xml', { strategy: 'sitemap' });
  expect(await countsOf(id)).toEqual({
    fetched: 10,
    off_scope: { off_host: 49_990, list_limit: 20, unusable_url: 1 },
    list: 'sitemap_cut',
  });
}, 60_000);

test('links beyond 50,000 of a page, and those that are too long, are counted', async () => {
  const options = { discover: false, exclude: ['/out/**'] };
  const { id } = await fixture.crawled('/links', options);
  expect(await countsOf(id)).toMatchObject({
    fetched: 1,
    off_scope: { excluded: 50_000, page_limit: 10, unusable_url: 1 },
  });
}, 60_000);
