import { expect, test, vi } from 'vitest';
import { retryUrls } from '../../packages/server/src/crawl/frontier/retry-urls.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { killProcess } from '../crawl-fixture/worker-process.ts';

let isBroken = true;
const fixture = new CrawlFixture({
  pages: 60,
  delayMs: 30,
  answer: (path, response) => {
    // Redirects are no pages, and count for nothing.
    const [, number] = /^\/page\/(\d+)$/.exec(path) ?? [];
    if (number && Number(number) % 3 === 2) response.writeHead(302, { location: `/moved/${number}` }).end();
    else if (path.startsWith('/moved/')) response.writeHead(isBroken ? 403 : 200).end('<p>Moved here.</p>');
    else return false;
    return true;
  },
});

test('a host gives no more pages than it may, whatever is under way, through kills and retries', async () => {
  const { id } = await fixture.crawl('/', { max_pages_per_host: 20, discover: false, attempts: 1 });
  for (const count of [8, 16]) {
    await vi.waitUntil(() => fixture.site.requests.length > count, { timeout: 20_000, interval: 1 });
    killProcess(fixture.worker?.runnerPid);
  }
  await fixture.reaches(id, 'completed');
  const counted = async () => {
    const { rows } = await fixture.pool.query(
      `SELECT count(*) FILTER (WHERE outcome IN ('fetched', 'failed')) AS pages,
         count(*) FILTER (WHERE reason = 'host_limit') AS left_out FROM crawl_pages WHERE job_id = $1`,
      [id],
    );
    return rows[0];
  };
  expect(await counted()).toEqual({ pages: 20, left_out: expect.any(Number) });
  expect((await counted()).left_out).toBeGreaterThan(10);
  await checkInvariants(fixture.pool, id);

  isBroken = false;
  await retryUrls(fixture.pool, id, { reasons: ['http_403'] });
  await new Notifier(fixture.pool).notify('work');
  await fixture.reaches(id, 'completed');
  expect(await counted()).toMatchObject({ pages: 20 });
}, 60_000);
