import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { retryUrls } from '../../packages/server/src/crawl/frontier/retry-urls.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const outside = 6_000;
/** What is asked for the n-th time, from 1. */
let asked = new Map<string, number>();
let isKilled = false;
/** More than 5,000 of them are put into the crawl before a list is read to its end. */
const list = () => {
  const urls = Array.from(
    { length: outside },
    (_, i) => `<url><loc>https://elsewhere.example/${i}</loc></url>`,
  );
  return `<urlset><url><loc>/only</loc></url>${urls.join('')}`;
};
const html = (response: ServerResponse, content: string) => {
  response.setHeader('content-type', 'text/html').end(`<title>A page</title><main><p>Text.</p>${content}`);
};

const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    if (path === '/robots.txt') return false;
    const turn = (asked.get(path) ?? 0) + 1;
    asked.set(path, turn);
    if (path === '/cut.xml') {
      if (turn < 3) response.write(list(), () => response.destroy());
      else response.end(`${list()}</urlset>`);
    } else if (path === '/short.xml') {
      // Without its end it is a list that was cut.
      response.end(turn === 1 ? list() : `${list()}</urlset>`);
    } else if (path === '/slow.xml') {
      // It never ends before the worker is killed.
      if (!isKilled) response.write(list());
      else response.end(`${list()}</urlset>`);
    } else if (path === '/links') {
      const links = Array.from(
        { length: outside },
        (_, i) => `<a href="https://elsewhere.example/${i}">x</a>`,
      );
      html(response, links.join(''));
    } else html(response, '');
    return true;
  },
});

async function offScopeOf(id: string) {
  await checkInvariants(fixture.pool, id);
  const { rows } = await fixture.pool.query('SELECT off_scope FROM crawl_states WHERE job_id = $1', [id]);
  return rows[0].off_scope;
}

/** No request ends by itself here, however slow the machine is. */
const options = { strategy: 'sitemap', page_timeout_seconds: 300 } as const;

test('what lies outside is counted once, however often its list breaks off', async () => {
  asked = new Map();
  const { id } = await fixture.crawled('/cut.xml', options);
  // A runner that does not hear from its supervisor, on a busy machine, gives the job back and asks again.
  expect(asked.get('/cut.xml')).toBeGreaterThanOrEqual(3);
  expect(await fixture.outcomes(id)).toEqual({ '/cut.xml': 'skipped: sitemap', '/only': 'fetched' });
  expect(await offScopeOf(id)).toEqual({ off_host: outside });
}, 60_000);

test('and however often the worker is killed in the middle of it', async () => {
  asked = new Map();
  const { id } = await fixture.crawl('/slow.xml', options);
  await expect
    .poll(() => fixture.outcomes(id), { timeout: 50_000, interval: 25 })
    .toEqual({ '/only': 'fetched' });
  isKilled = true;
  await fixture.worker?.end('SIGKILL');
  fixture.startWorker();
  await fixture.reaches(id, 'completed');
  expect(asked.get('/slow.xml')).toBeGreaterThanOrEqual(2);
  expect(await offScopeOf(id)).toEqual({ off_host: outside });
}, 120_000);

test('and when a list that was cut is tried again', async () => {
  asked = new Map();
  const { id } = await fixture.crawled('/short.xml', options);
  expect(await fixture.outcomes(id)).toEqual({ '/short.xml': 'skipped: sitemap_cut', '/only': 'fetched' });
  expect(await offScopeOf(id)).toEqual({ off_host: outside });
  await retryUrls(fixture.pool, id, { reasons: ['sitemap_cut'] });
  await new Notifier(fixture.pool).notify('work');
  await fixture.reaches(id, 'completed');
  expect(await fixture.outcomes(id)).toEqual({ '/short.xml': 'skipped: sitemap', '/only': 'fetched' });
  expect(await offScopeOf(id)).toEqual({ off_host: outside });
}, 60_000);

test('and links of a page of thousands, too', async () => {
  const { id } = await fixture.crawled('/links', { discover: false });
  expect(await offScopeOf(id)).toEqual({ off_host: outside });
}, 60_000);
