import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { startSite } from '../../packages/server/src/web/fetch/testing/local-site.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const rules = 'User-agent: *\nDisallow: /private\n';
const comments = `# ${'x'.repeat(97)}\n`.repeat(30_000);
const page = '<title>A page</title><main><p>Text.</p><a href="/private/1">1</a><a href="/open">2</a></main>';

let answerRobots: (response: ServerResponse) => void;
const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    if (path === '/robots.txt') answerRobots(response);
    else if (path === '/home' || path === '/open' || path.startsWith('/private'))
      response.setHeader('content-type', 'text/html').end(page);
    else return false;
    return true;
  },
});
const says = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
  answerRobots = (response) => response.writeHead(status, headers).end(body);
};
const pagesAsked = () => fixture.site.requests.filter(({ path }) => path !== '/robots.txt');
const followed = { '/home': 'fetched', '/open': 'fetched', '/private/1': 'skipped: robots' };

beforeEach(async () => {
  await fixture.pool.query('TRUNCATE robots_cache');
  fixture.site.requests.length = 0;
});

describe('a crawl keeps to a robots.txt', () => {
  test.each<[string, string | Buffer, Record<string, string>]>([
    ['of three megabytes', rules + comments, {}],
    ['of a declared length of three megabytes', rules + comments, { 'content-length': '3000026' }],
    ['that inflates to three megabytes', gzipSync(rules + comments), { 'content-encoding': 'gzip' }],
    ['that inflates to a hundred', gzipSync(rules + ' '.repeat(1e8)), { 'content-encoding': 'gzip' }],
  ])('%s', async (_, body, headers) => {
    says(body, headers);
    const job = await fixture.crawled('/home', { discover: false });
    expect(job.status).toBe('completed');
    expect(await fixture.outcomes(job.id)).toEqual(followed);
  });

  test('of which more than is read came before the connection broke', async () => {
    answerRobots = (response) => {
      response.write((rules + comments).slice(0, 1_000_000), () => response.destroy());
    };
    const job = await fixture.crawled('/home', { discover: false });
    expect(await fixture.outcomes(job.id)).toEqual(followed);
  });

  test('that was read a day ago while it answers with server errors', async () => {
    says(rules);
    await fixture.crawled('/home', { discover: false });
    await fixture.pool.query(
      `UPDATE robots_cache SET fetched_at = fetched_at - interval '1 day', expires_at = expires_at - interval '1 day'`,
    );
    says('', {}, 500);
    const job = await fixture.crawled('/home', { discover: false });
    expect(await fixture.outcomes(job.id)).toEqual(followed);
  });
});

test.each<[string, () => void]>([
  ['leads to an address that may not be asked', () => says('', { location: 'http://169.254.169.254/' }, 302)],
  ['cannot be decoded', () => says(rules, { 'content-encoding': 'zstd' })],
])('a crawl keeps to what robots.txt said a day ago while it %s', async (_, prepare) => {
  says(rules);
  await fixture.crawled('/home', { discover: false });
  await fixture.pool.query(
    `UPDATE robots_cache SET fetched_at = fetched_at - interval '1 day', expires_at = expires_at - interval '1 day'`,
  );
  prepare();
  const job = await fixture.crawled('/home', { discover: false });
  expect(job.status).toBe('completed');
  expect(await fixture.outcomes(job.id)).toEqual(followed);
});

test('a failure that may pass fails no URL of a crawl that goes well elsewhere', async () => {
  says(rules);
  const other = await startSite((_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  );
  onTestFinished(() => other.close());
  await fixture.worker?.end('SIGTERM');
  fixture.startWorker({ HOLDFAST_ALLOW_PRIVATE: `${fixture.site.origin},${other.origin}` });
  const urls = Array.from({ length: 30 }, (_, i) => `${other.origin}/${i}`);
  const job = await fixture.crawled('/open', { strategy: 'batch', urls, discover: false });
  expect(job).toMatchObject({ status: 'retryable', error_code: 'address_forbidden' });
  expect(await fixture.outcomes(job.id)).toEqual({ '/open': 'fetched' });
  const { rows } = await fixture.pool.query('SELECT total_pending FROM crawl_states WHERE job_id = $1', [
    job.id,
  ]);
  expect(rows).toEqual([{ total_pending: 30 }]);
});

describe('a crawl asks for no page while robots.txt', () => {
  test.each<[string, () => void]>([
    ['is in an unknown encoding', () => says(rules, { 'content-encoding': 'zstd' })],
    ['is in another encoding than it says', () => says(rules, { 'content-encoding': 'gzip' })],
    [
      'is damaged',
      () => says(gzipSync(rules + comments).fill(0xff, 20, 200), { 'content-encoding': 'gzip' }),
    ],
    [
      'breaks off after a few bytes',
      () => {
        answerRobots = (response) => {
          response.write(rules, () => response.destroy());
        };
      },
    ],
    ['is answered with 429', () => says('', {}, 429)],
  ])('%s', async (_, prepare) => {
    prepare();
    const job = await fixture.crawled('/home', { discover: false });
    expect(job).toMatchObject({ status: 'retryable', error_code: 'robots_unreachable' });
    expect(pagesAsked()).toEqual([]);
  });

  test('leads to an address that may not be asked', async () => {
    says('', { location: 'http://169.254.169.254/robots.txt' }, 302);
    const job = await fixture.crawled('/home', { discover: false });
    expect(job).toMatchObject({ status: 'failed', error_code: 'address_forbidden' });
    expect(job.error_message).toContain('robots.txt redirects to http://169.254.169.254');
    expect(pagesAsked()).toEqual([]);
    // Its URL waits for whoever tries the crawl again.
    says(rules);
    await actOnJob(fixture.pool, 'retry', job.id);
    await new Notifier(fixture.pool).notify('work');
    await fixture.reaches(job.id, 'completed');
    expect(await fixture.outcomes(job.id)).toEqual(followed);
  });

  test('and crawls when what is absent comes in a broken encoding', async () => {
    says('no such page', { 'content-encoding': 'zstd' }, 404);
    const job = await fixture.crawled('/home', { discover: false });
    expect(await fixture.outcomes(job.id)).toEqual({ ...followed, '/private/1': 'fetched' });
  });
});
