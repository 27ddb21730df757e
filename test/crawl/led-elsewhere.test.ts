import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const page = (response: ServerResponse, ...links: string[]) => {
  const items = links.map((link) => `<a href="${link}">${link}</a>`).join(' ');
  response
    .setHeader('content-type', 'text/html')
    .end(`<title>A page</title><main><p>Text.</p>${items}</main>`);
};
const redirect = (response: ServerResponse, location: string) => response.writeHead(302, { location }).end();

/** The first request of a slow hop is never answered. */
let slowHops = 0;
const answers: Record<string, (response: ServerResponse) => void> = {
  '/refreshing': (response) =>
    response
      .setHeader('content-type', 'text/html')
      .end('<head><meta http-equiv="refresh" content="0; url=/refreshed"></head><body></body>'),
  '/refreshed': (response) => page(response),
  '/tagged': (response) => {
    response.setHeader('x-robots-tag', ['otherbot: noarchive', 'noindex, nofollow']);
    page(response, '/behind-tag');
  },
  '/for-others': (response) => {
    response.setHeader('x-robots-tag', 'otherbot: nofollow');
    page(response, '/behind-others');
  },
  '/behind-others': (response) => page(response),
  '/home': (response) => page(response, '/loop/1', '/to-home', '/empty', '/script', '/refreshing'),
  '/to-home': (response) => redirect(response, '/home'),
  '/loop/1': (response) => redirect(response, '/loop/2'),
  '/loop/2': (response) => redirect(response, '/loop/3'),
  '/loop/3': (response) => redirect(response, '/loop/1'),
  '/slow/1': (response) => redirect(response, '/slow/2'),
  '/slow/2': (response) => {
    if (slowHops++ > 0) redirect(response, '/slow/1');
  },
  '/away': (response) => redirect(response, '/closed'),
  '/far': (response) => redirect(response, '/away'),
  '/empty': (response) => response.writeHead(204).end(),
  '/script': (response) => redirect(response, 'javascript:open()'),
};
const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    answers[path]?.(response);
    return path in answers;
  },
});
const url = (path: string) => `${fixture.site.origin}${path}`;

describe('a page leads on', () => {
  test('by a refresh as by a link', async () => {
    const job = await fixture.crawled('/refreshing', { discover: false });
    expect(await fixture.outcomes(job.id)).toEqual({ '/refreshing': 'fetched', '/refreshed': 'fetched' });
  });

  test('unless X-Robots-Tag asks not to follow its links', async () => {
    const tagged = await fixture.crawled('/tagged', { discover: false });
    expect(await fixture.outcomes(tagged.id)).toEqual({ '/tagged': 'fetched' });
    const forOthers = await fixture.crawled('/for-others', { discover: false });
    expect(await fixture.outcomes(forOthers.id)).toEqual({
      '/for-others': 'fetched',
      '/behind-others': 'fetched',
    });
  });
});

describe('redirects in a circle', () => {
  test('are an error at the one that closes it, and one to a fetched page is none', async () => {
    const job = await fixture.crawled('/home', { discover: false });
    expect(job.status).toBe('completed');
    expect(await fixture.outcomes(job.id)).toEqual({
      '/home': 'fetched',
      '/to-home': 'redirected',
      '/loop/1': 'redirected',
      '/loop/2': 'redirected',
      '/loop/3': 'failed: too_many_redirects',
      '/empty': 'failed: http_204',
      '/script': 'failed: url_invalid',
      '/refreshing': 'fetched',
      '/refreshed': 'fetched',
    });
    await checkInvariants(fixture.pool, job.id);
  });

  test('fail a crawl that finds nothing else, which names one of them', async () => {
    const job = await fixture.crawled('/loop/1', { discover: false });
    expect(job).toMatchObject({
      status: 'failed',
      error_code: 'too_many_redirects',
      error_message: `Too many redirects: ${url('/loop/1')}`,
    });
  });

  test('are found although the crawl was paused between them', async () => {
    const { id } = await fixture.crawl('/slow/1', { discover: false });
    await vi.waitUntil(() => slowHops > 0, { timeout: 20_000, interval: 5 });
    await actOnJob(fixture.pool, 'pause', id);
    await new Notifier(fixture.pool).notify('request');
    await fixture.reaches(id, 'paused');
    await actOnJob(fixture.pool, 'resume', id);
    await new Notifier(fixture.pool).notify('work');
    const job = await fixture.reaches(id, 'failed', 'completed');
    expect(await fixture.outcomes(id)).toEqual({ '/slow/1': 'redirected', '/slow/2': 'redirected' });
    expect(job).toMatchObject({
      error_code: 'too_many_redirects',
      error_message: expect.stringContaining(url('/slow/')),
    });
  });

  test('are not what a chain is that leads out of the crawl', async () => {
    const job = await fixture.crawled('/far', { discover: false, exclude: ['/closed'] });
    expect(await fixture.outcomes(job.id)).toEqual({ '/far': 'redirected', '/away': 'redirected' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'nothing_to_fetch' });
  });
});

describe('a crawl that fetches nothing says', () => {
  test('what the site answered instead of a page', async () => {
    const job = await fixture.crawled('/empty', { discover: false });
    expect(job).toMatchObject({
      status: 'failed',
      error_code: 'nothing_to_fetch',
      error_message: 'There was nothing to fetch: the site answered HTTP 204 (No Content)',
    });
  });

  test('which target it cannot follow', async () => {
    const job = await fixture.crawled('/script', { discover: false });
    expect(job).toMatchObject({
      status: 'failed',
      error_code: 'url_invalid',
      error_message: 'The URL cannot be fetched: HTTP 302 leads to javascript:open()',
    });
  });
});
