import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { retryUrls } from '../../packages/server/src/crawl/frontier/retry-urls.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { killProcess } from '../crawl-fixture/worker-process.ts';

const good = 12;
const bad = 4;
const pictures = 3;
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

/** What the bad pages answer; `hang` keeps them waiting. */
let answers: 500 | 200 | 302 | 'hang' = 500;
/** Good pages after these keep waiting. */
let goodAnswers = Number.POSITIVE_INFINITY;
let hanging: ServerResponse[] = [];

const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    const isBad = path.startsWith('/bad/');
    if (isBad && answers === 'hang') hanging.push(response);
    else if (isBad && answers === 302) response.writeHead(302, { location: '/good/0' }).end();
    else if (isBad)
      response.writeHead(answers as number, { 'content-type': 'text/html' }).end('<p>Page.</p>');
    else if (path.startsWith('/good/') && --goodAnswers < 0) hanging.push(response);
    else if (path.startsWith('/picture/')) response.setHeader('content-type', 'image/png').end('x');
    else if (path === '/') {
      const paths = [
        ...numbers(bad).map((i) => `/bad/${i}`),
        ...numbers(pictures).map((i) => `/picture/${i}`),
        ...numbers(good).map((i) => `/good/${i}`),
      ];
      response
        .setHeader('content-type', 'text/html')
        .end(paths.map((link) => `<a href="${link}">${link}</a>`).join(' '));
    } else response.setHeader('content-type', 'text/html').end(`<main><p>Text of ${path}.</p></main>`);
    return true;
  },
});

const options = { discover: false, attempts: 1, concurrency: 1 } as const;
const ended = ['completed', 'failed', 'cancelled'] as const;

/** A crawl that has seen every bad page, and stopped at its limit with good ones left over. */
async function limited(more: object = {}) {
  const job = await fixture.crawled('/', { ...options, max_pages: 6, ...more });
  expect(job.status).toBe('completed');
  return job;
}

async function tryAgain(id: string, choice: Parameters<typeof retryUrls>[2] = {}) {
  await retryUrls(fixture.pool, id, choice);
  await new Notifier(fixture.pool).notify('work');
}

async function counted(id: string) {
  const { rows } = await fixture.pool.query(
    `SELECT total_processed, fetched, failed, skipped, redirected, total_pending, retrying, not_crawled
     FROM crawl_states WHERE job_id = $1`,
    [id],
  );
  await checkInvariants(fixture.pool, id);
  return rows[0];
}

const done = { total_pending: 0, retrying: 0 };
const requestsOf = (prefix: string) =>
  fixture.site.requests.filter(({ path }) => path.startsWith(prefix)).length;

beforeEach(() => {
  answers = 500;
  goodAnswers = Number.POSITIVE_INFINITY;
  hanging = [];
  fixture.site.requests.length = 0;
});

describe('a page that is tried again keeps its record', () => {
  test('until it is fetched, also when the crawl has reached its limit of pages', async () => {
    const { id } = await limited();
    const before = await counted(id);
    expect(before).toMatchObject({ ...done, fetched: 6, failed: bad });
    answers = 200;
    await tryAgain(id);
    await fixture.reaches(id, ...ended);
    expect(await counted(id)).toEqual({ ...before, fetched: 6 + bad, failed: 0 });
    expect(requestsOf('/bad/')).toBe(2 * bad);
    // What the limit had left over stays so.
    expect(requestsOf('/good/')).toBe(5);
  }, 60_000);

  test('when it fails once more, or leads elsewhere', async () => {
    const { id } = await limited();
    const before = await counted(id);
    const outcomes = await fixture.outcomes(id);
    await tryAgain(id);
    await fixture.reaches(id, ...ended);
    expect(await counted(id)).toEqual(before);
    expect(await fixture.outcomes(id)).toEqual(outcomes);
    answers = 302;
    await tryAgain(id, { reasons: ['site_error'] });
    await fixture.reaches(id, ...ended);
    expect(await counted(id)).toMatchObject({ ...done, total_processed: 6, failed: 0, redirected: bad });
  }, 60_000);

  test('when it was skipped', async () => {
    const { id } = await limited();
    const before = await counted(id);
    expect(before.skipped).toBe(pictures);
    await tryAgain(id, { reasons: ['content_type'] });
    await fixture.reaches(id, ...ended);
    expect(await counted(id)).toEqual(before);
    expect(requestsOf('/picture/')).toBe(2 * pictures);
  }, 60_000);

  test('through a cancel on the way, and another try', async () => {
    const { id } = await limited();
    const before = await counted(id);
    answers = 'hang';
    await tryAgain(id);
    await vi.waitUntil(() => hanging.length > 0, { timeout: 25_000, interval: 5 });
    await expect(retryUrls(fixture.pool, id)).rejects.toMatchObject({ code: 'action_not_allowed' });
    expect(await counted(id)).toMatchObject({ failed: bad, skipped: pictures });
    await actOnJob(fixture.pool, 'cancel', id);
    await new Notifier(fixture.pool).notify('work');
    await fixture.reaches(id, 'cancelled');
    const { retrying, total_pending, ...records } = await counted(id);
    expect(before).toMatchObject(records);
    expect(total_pending).toBe(retrying);
    expect(retrying).toBeGreaterThan(0);

    answers = 200;
    await tryAgain(id);
    await fixture.reaches(id, 'completed');
    expect(await counted(id)).toEqual({ ...before, fetched: 6 + bad, failed: 0 });
    const { rows } = await fixture.pool.query(
      'SELECT count(*) - count(DISTINCT url) AS twice FROM crawl_pages WHERE job_id = $1',
      [id],
    );
    expect(rows).toEqual([{ twice: 0 }]);
  }, 60_000);

  test('through the death of its runner', async () => {
    const { id } = await limited();
    const before = await counted(id);
    answers = 'hang';
    await tryAgain(id, { reasons: ['site_error'] });
    await vi.waitUntil(() => hanging.length > 0, { timeout: 25_000, interval: 5 });
    killProcess(fixture.worker?.runnerPid);
    answers = 200;
    await fixture.reaches(id, 'completed');
    expect(await counted(id)).toEqual({ ...before, fetched: 6 + bad, failed: 0 });
  }, 60_000);

  test('when others that the crawl has left are before it, and its limit is reached first', async () => {
    goodAnswers = 2;
    const { id } = await fixture.crawl('/', { ...options, max_pages: 9 });
    await vi.waitUntil(() => hanging.length > 0, { timeout: 25_000, interval: 5 });
    await actOnJob(fixture.pool, 'cancel', id);
    await new Notifier(fixture.pool).notify('work');
    await fixture.reaches(id, 'cancelled');
    const before = await counted(id);
    expect(before).toMatchObject({ fetched: 3, failed: bad });
    answers = 200;
    goodAnswers = Number.POSITIVE_INFINITY;
    await tryAgain(id, { reasons: ['site_error'] });
    await fixture.reaches(id, ...ended);
    expect(await counted(id)).toMatchObject({ ...done, fetched: 9 + bad, failed: 0 });
    expect((await showJob(fixture.pool, id)).status).toBe('completed');
  }, 60_000);

  test('when they wait for another attempt as the limit is reached: they are failed, not left over', async () => {
    const { id } = await limited({ attempts: 3 });
    expect(await counted(id)).toMatchObject({ ...done, fetched: 6, failed: bad, not_crawled: good - 5 });
    answers = 200;
    await tryAgain(id, { reasons: ['site_error'] });
    await fixture.reaches(id, 'completed');
    expect(await counted(id)).toMatchObject({ ...done, fetched: 6 + bad, failed: 0 });
  }, 60_000);

  test('in a recrawl, whose pages that are gone may come back', async () => {
    answers = 200;
    const all = { ...options, max_pages: 100 };
    const first = await fixture.crawled('/', { ...all, recrawl: true });
    expect(first.status).toBe('completed');
    answers = 500;
    const { id } = await fixture.crawled('/', { ...all, recrawl: true });
    const changes = async () => {
      const { rows } = await fixture.pool.query(
        'SELECT new_pages, changed, unchanged, gone FROM crawl_states WHERE job_id = $1',
        [id],
      );
      return rows[0];
    };
    expect(await counted(id)).toMatchObject({ failed: bad });
    answers = 200;
    await tryAgain(id, { reasons: ['site_error'] });
    await fixture.reaches(id, 'completed');
    expect(await counted(id)).toMatchObject({ ...done, failed: 0, fetched: 1 + good + bad });
    expect(await changes()).toEqual({ new_pages: 0, changed: 0, unchanged: 1 + good + bad, gone: 0 });
  }, 60_000);
});
