import { expect, test } from 'vitest';
import { listSources } from '../../packages/server/src/governor/sources/list-sources.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const pages = 300;
const pageOf = (path: string) => Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? -1);
/** Of the last pages, which link to none, so that nothing is missed for them; ever the same ones fail. */
const isBroken = (page: number) => page >= pages / 2 && page % 6 === 0;
const isBusy = (page: number) => page > 0 && page % 50 === 7;
/** Turned away more often than a page may fail. */
const refusals = 2;
const asked = new Map<string, number>();

const fixture = new CrawlFixture({
  pages,
  answer: (path, response) => {
    const page = pageOf(path);
    const nth = (asked.get(path) ?? 0) + 1;
    asked.set(path, nth);
    if (path === '/refused' && nth <= refusals) response.writeHead(429).end();
    else if (path === '/refused-and-cut' && nth <= refusals) response.writeHead(429).end();
    else if (path === '/refused-and-cut' && nth === refusals + 1) response.destroy();
    else if (['/refused', '/refused-and-cut'].includes(path))
      response.setHeader('content-type', 'text/html').end('<p>Here at last');
    else if (isBroken(page)) response.writeHead(500).end();
    else if (isBusy(page) && nth === 1) response.writeHead(503, { 'retry-after': '1' }).end();
    else return false;
    return true;
  },
});

test('a site with broken pages and busy moments is crawled to its end, and so is another crawl beside it', async () => {
  const broken = Array.from({ length: pages }, (_, page) => page).filter(isBroken);
  expect(broken.length).toBeGreaterThan(20);
  // Two attempts: when all else is done, the retries of the broken pages come one after the other.
  const options = { discover: false, attempts: 2 };
  const [job, other] = await Promise.all([
    fixture.crawled('/', options),
    fixture.crawled('/page/1', { ...options, max_pages: 100 }),
  ]);
  expect([job.status, other.status]).toEqual(['completed', 'completed']);
  const outcomes = await fixture.outcomes(job.id);
  for (const page of broken) expect(outcomes[`/page/${page}`]).toBe('failed: site_error');
  expect(Object.values(outcomes).filter((outcome) => outcome === 'fetched')).toHaveLength(
    pages - broken.length,
  );
  const [source] = await listSources(fixture.pool, { id: `host:${new URL(fixture.site.origin).host}` });
  expect(source).toMatchObject({ breaker: 'closed', pause_reason: null, pace_per_minute: null });
});

test('a page that is turned away because its host is asked too much does not use up its tries', async () => {
  const job = await fixture.crawled('/refused', { discover: false, attempts: 1, max_depth: 0 });
  expect(await fixture.outcomes(job.id)).toEqual({ '/refused': 'fetched' });
  expect(asked.get('/refused')).toBe(refusals + 1);
});

test('a page that was turned away may fail as often as any other afterwards, and each request is recorded', async () => {
  const job = await fixture.crawled('/refused-and-cut', { discover: false, attempts: 2, max_depth: 0 });
  expect(await fixture.outcomes(job.id)).toEqual({ '/refused-and-cut': 'fetched' });
  const { rows } = await fixture.pool.query('SELECT attempts FROM crawl_pages WHERE job_id = $1', [job.id]);
  expect(rows).toEqual([{ attempts: refusals + 2 }]);
  expect(asked.get('/refused-and-cut')).toBe(refusals + 2);
});
