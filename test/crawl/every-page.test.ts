import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { ordinaryUrls, suspectFamilies } from '../crawl-fixture/ordinary-urls.ts';

/** What pages differ in besides their links. Of cards, in where they lead: to a page that nothing else leads to. */
type Text = 'own' | 'numbered' | 'thin' | 'cards' | 'cell' | 'picture';

/** By what the site's server makes of a URL: the page, and what it links to. */
let pages = new Map<string, { links: string[]; asked: number; n: number }>();
let text: Text = 'own';

/** As servers read a URL: escapes decoded, `+` a space in a query, everything else as it stands. */
function pageOf(url: string): string {
  const [path = '', query] = url.split('?');
  const segments = path.split('/').map(decodeURIComponent);
  const pairs = query?.split('&').map((pair) => decodeURIComponent(pair.replaceAll('+', ' ')));
  return JSON.stringify([segments, pairs]);
}

const words = (url: string) =>
  url.replaceAll(/[^a-z0-9]+/gi, ' ').replaceAll(/\d/g, (digit) => `${'zyxwvutsrq'[Number(digit)]}`);
const same = 'Choose one of the things below to see all that there is to see of it.';
const texts: Record<Text, (url: string, n: number) => string> = {
  own: (url) => `This page is about ${words(url)} and about nothing else that there is.`,
  numbered: (url) => `You are looking at page ${url} of the whole site, which is a page like any other.`,
  thin: () => 'A page.',
  cards: (_, n) =>
    `${same}</p><div class="card"><a href="/card/${n}"><img src="/card.png" alt=""></a></div><p>`,
  cell: (_, n) => `${same}</p><table><tr><th>Value<td>${200 + n}</table><p>`,
  picture: (_, n) => `<img src="/pictures/${n}.jpg" alt="">`,
};

/**
 * Hundreds of days of long ago whose pages say nothing, or nothing but their date, are what an endless calendar looks like:
 * `trap_calendar` in docs/crawling.md. Here they say something.
 */
const isLongAgo = (url: string) => /^\/(archive|weather|rates)\b.*\b19[56]\d\b/.test(url);

function textOf(url: string, n: number): string {
  const saysLittle = text === 'thin' || text === 'numbered';
  return texts[url.startsWith('/card/') || (saysLittle && isLongAgo(url)) ? 'own' : text](url, n);
}

const fixture = new CrawlFixture({
  pages: 0,
  answer: (url: string, response: ServerResponse) => {
    const page = pages.get(pageOf(url));
    if (!page) return false;
    page.asked++;
    const links = page.links.map((link) => `<a href="${link.replaceAll('&', '&amp;')}">on</a>`);
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(
        `<!doctype html><title>Site</title><main><p>${textOf(url, page.n)}</p></main><nav>${links.join(' ')}</nav>`,
      );
    return true;
  },
});

const perPage = 100;

/** Reaches every URL through lists of them; and every page links to a few others, some with a campaign on it. */
function build(urls: readonly string[]): void {
  pages = new Map();
  const lists = Math.ceil(urls.length / perPage);
  const add = (url: string, links: string[]) => {
    const page = pageOf(url);
    if (!pages.has(page)) pages.set(page, { links, asked: 0, n: pages.size });
  };
  add(
    '/',
    Array.from({ length: lists }, (_, n) => `/lists/of?n=${n}`),
  );
  for (let n = 0; n < lists; n++) add(`/lists/of?n=${n}`, urls.slice(n * perPage, (n + 1) * perPage));
  for (const [i, url] of urls.entries()) {
    const other = urls[(i * 7 + 3) % urls.length] as string;
    add(url, [
      '/',
      other,
      `${other}${other.includes('?') ? '&' : '?'}utm_source=page&gclid=${i}`,
      `${other}#top`,
    ]);
  }
  if (text === 'cards') for (const { n } of [...pages.values()]) add(`/card/${n}`, []);
}

const runs = process.env.HOLDFAST_TEST_FULL === '1' ? 60 : 6;

test('of a site with ordinary URLs every page is fetched, once', {
  timeout: 60_000 + runs * 20_000,
}, async () => {
  const said = fc.constantFrom<Text>('own', 'numbered', 'thin', 'cards', 'cell', 'picture');
  await fc.assert(
    fc.asyncProperty(ordinaryUrls, said, async (urls, kind) => {
      text = kind;
      build(urls);
      const job = await fixture.crawl('/', { discover: false });
      const status = async () => (await showJob(fixture.pool, job.id)).status;
      await vi.waitUntil(async () => (await status()) === 'completed', { timeout: 120_000, interval: 50 });
      const missed = [...pages].filter(([, { asked }]) => asked === 0).map(([page]) => page);
      expect(missed).toEqual([]);
      expect([...pages].filter(([, { asked }]) => asked > 1).map(([page]) => page)).toEqual([]);
      const outcomes = await fixture.outcomes(job.id);
      expect(Object.values(outcomes)).toHaveLength(pages.size);
      await checkInvariants(fixture.pool, job.id);
    }),
    {
      numRuns: runs + 3,
      endOnFailure: true,
      examples: [
        [suspectFamilies.archive, 'cards'],
        [suspectFamilies.weather, 'cell'],
        [suspectFamilies.catalogue, 'cards'],
      ],
    },
  );
});
