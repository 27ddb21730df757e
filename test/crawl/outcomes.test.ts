import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { retryUrls } from '../../packages/server/src/crawl/frontier/retry-urls.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const page = (response: ServerResponse, ...links: string[]) => {
  const items = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
  response
    .setHeader('content-type', 'text/html')
    .end(`<title>A page</title><main><p>Text.</p>${items}</main>`);
  return true;
};
const redirect = (response: ServerResponse, location: string) => {
  response.writeHead(302, { location }).end();
  return true;
};

let flakyAnswers = 0;
let isBroken = true;
const fixture = new CrawlFixture({
  pages: 0,
  robots: 'User-agent: *\nDisallow: /forbidden\nSitemap: /listed.xml\n',
  answer: (path, response) => {
    if (path === '/variety') {
      return page(
        response,
        '/ok?utm_source=x#part',
        '/ok',
        '/gone',
        '/forbidden/door',
        '/picture',
        '/moved',
        '/loop/0',
        'http://elsewhere.example/',
        '/broken',
      );
    }
    if (path === '/ok' || path === '/new' || path === '/from-sitemap') return page(response, '/ok');
    if (path === '/moved') return redirect(response, '/new');
    if (path.startsWith('/loop/')) return redirect(response, `/loop/${Number(path.slice(6)) + 1}`);
    if (path === '/picture') return response.setHeader('content-type', 'image/png').end('png') && true;
    if (path === '/listed.xml') {
      response.setHeader('content-type', 'application/xml');
      const url = `http://${response.req.headers.host}/from-sitemap`;
      return response.end(`<urlset><url><loc>${url}</loc></url></urlset>`) && true;
    }
    if (path === '/flaky') {
      if (flakyAnswers++ === 0) return response.writeHead(503).end() && true;
      return page(response, '/ok');
    }
    if (path === '/broken') return isBroken ? response.writeHead(500).end() && true : page(response);
    if (path === '/bare') return redirect(response, '/bare/home');
    if (path === '/bare/home') return page(response, '/ok');
    return false;
  },
});

beforeEach(() => {
  flakyAnswers = 0;
  isBroken = true;
});

const urlsOf = (...paths: string[]) => paths.map((path) => `${fixture.site.origin}${path}`);

describe('every URL of a crawl ends', () => {
  test('as a page, a redirect, skipped with a reason or failed with a code; others are counted', async () => {
    const job = await fixture.crawled('/variety', { attempts: 1 });
    expect(job.status).toBe('completed');
    const outcomes = await fixture.outcomes(job.id);
    expect(outcomes).toMatchObject({
      '/variety': 'fetched',
      '/ok': 'fetched',
      '/gone': 'failed: http_404',
      '/forbidden/door': 'skipped: robots',
      '/picture': 'skipped: content_type',
      '/moved': 'redirected',
      '/new': 'fetched',
      '/loop/10': 'failed: too_many_redirects',
      '/broken': 'failed: site_error',
      '/listed.xml': 'skipped: sitemap',
      '/from-sitemap': 'fetched',
    });
    expect(fixture.site.counts.has('/forbidden/door')).toBe(false);
    const { rows } = await fixture.pool.query('SELECT off_scope FROM crawl_states WHERE job_id = $1', [
      job.id,
    ]);
    expect(rows[0].off_scope).toEqual({ off_host: 1 });
    await checkInvariants(fixture.pool, job.id);
  });

  test('in success when it failed for a passing reason only, and is not asked again before it may be', async () => {
    const job = await fixture.crawled('/flaky', { discover: false });
    expect(await fixture.outcomes(job.id)).toEqual({ '/flaky': 'fetched', '/ok': 'fetched' });
    const { rows } = await fixture.pool.query(`SELECT attempts FROM crawl_pages WHERE url LIKE '%/flaky'`);
    expect(rows).toEqual([{ attempts: 2 }]);
  });

  test('again, when failed ones are put back with retryUrls', async () => {
    const job = await fixture.crawled('/variety', { attempts: 1, discover: false });
    isBroken = false;
    await retryUrls(fixture.pool, job.id, { reasons: ['site_error'] });
    await new Notifier(fixture.pool).notify('work');
    await fixture.reaches(job.id, 'completed');
    expect(await fixture.outcomes(job.id)).toMatchObject({
      '/broken': 'fetched',
      '/gone': 'failed: http_404',
    });
    await checkInvariants(fixture.pool, job.id);
  });
});

describe('a crawl', () => {
  test('that fetches nothing fails with the reason of its seed', async () => {
    const missing = await fixture.crawled('/nothing-here', { discover: false });
    expect(missing).toMatchObject({ status: 'failed', error_code: 'page_refused' });
    const forbidden = await fixture.crawled('/forbidden/', { discover: false });
    expect(forbidden).toMatchObject({ status: 'failed', error_code: 'robots_disallowed' });
  });

  test('that fetches nothing for a passing reason is tried again later, with its seed in the frontier', async () => {
    isBroken = true;
    const job = await fixture.crawled('/broken', { discover: false, attempts: 1 });
    expect(job).toMatchObject({ status: 'retryable', error_code: 'site_error', retry_count: 1 });
    await checkInvariants(fixture.pool, job.id);
  });

  test('of one page follows no link, and one of a list fetches just the list', async () => {
    const single = await fixture.crawled('/variety', { strategy: 'single' });
    expect(await fixture.outcomes(single.id)).toEqual({ '/variety': 'fetched' });
    const batch = await fixture.crawled('/bare/home', { urls: urlsOf('/new', '/ok') });
    expect(await fixture.outcomes(batch.id)).toEqual({
      '/bare/home': 'fetched',
      '/new': 'fetched',
      '/ok': 'fetched',
    });
  });

  test('stops at its limit of pages, and counts what was left over', async () => {
    const job = await fixture.crawled('/variety', { max_pages: 2, discover: false, concurrency: 1 });
    const { rows } = await fixture.pool.query(
      'SELECT fetched, total_pending, not_crawled FROM crawl_states WHERE job_id = $1',
      [job.id],
    );
    expect(rows[0]).toMatchObject({ fetched: 2, total_pending: 0 });
    expect(rows[0].not_crawled).toBeGreaterThan(0);
    expect(job).toMatchObject({ status: 'completed', progress_percentage: 100 });
    await checkInvariants(fixture.pool, job.id);
  });

  test('waits between two requests to a host as long as it was told to', async () => {
    const before = fixture.site.requests.length;
    await fixture.crawled('/variety', { strategy: 'batch', urls: urlsOf('/ok', '/new'), delay_ms: 1000 });
    const pages = fixture.site.requests.slice(before).filter(({ path }) => path !== '/robots.txt');
    const starts = pages.map(({ at }) => at);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(gaps).toHaveLength(2);
    // Seen at the site: what the way there takes, longer for the first on a new connection, makes a gap seem shorter.
    expect(Math.min(...gaps)).toBeGreaterThan(700);
  });

  test('of a host that does not resolve is tried again later, and says so', async () => {
    const job = await fixture.crawled('/', { url: 'http://no-such-host.invalid/', discover: false });
    expect(job).toMatchObject({ status: 'retryable', error_code: 'dns_failed' });
    expect(job.error_message).toMatch(/no-such-host\.invalid/);
    expect(job.error_message).not.toMatch(/robots/);
  });

  test('of a private address that nobody allowed is refused without a connection, and has come nowhere', async () => {
    const job = await fixture.crawled('/../', { url: 'http://127.0.0.1:9999/' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'address_forbidden', progress_percentage: 0 });
  });
});

describe('a crawl that is retried', () => {
  test('afresh starts over, and one that is completed keeps its pages when that is refused', async () => {
    const completed = await fixture.crawled('/variety', { attempts: 1, discover: false });
    await expect(actOnJob(fixture.pool, 'retry', completed.id, { afresh: true })).rejects.toMatchObject({
      code: 'action_not_allowed',
    });
    expect(Object.keys(await fixture.outcomes(completed.id)).length).toBeGreaterThan(5);
    const failed = await fixture.crawled('/nothing-here', { discover: false });
    await actOnJob(fixture.pool, 'retry', failed.id, { afresh: true });
    expect(await fixture.outcomes(failed.id)).toEqual({});
    await new Notifier(fixture.pool).notify('work');
    await fixture.reaches(failed.id, 'failed');
    expect(await fixture.outcomes(failed.id)).toEqual({ '/nothing-here': 'failed: http_404' });
  });
});
