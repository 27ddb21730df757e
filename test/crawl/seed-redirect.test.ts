import { afterAll, expect, test, vi } from 'vitest';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';

// The site that the seed leads to: what example.com is to www.example.com.
const target = await TestSite.start({ pages: 80, delayMs: 30 });
afterAll(() => target.stop());
const fixture = new CrawlFixture(
  {
    pages: 0,
    answer: (path, response) =>
      path === '/' && response.writeHead(301, { location: `${target.origin}/` }).end() && true,
  },
  { alsoAllowed: target.origin },
);

test('the host that a seed leads to is in scope, also for a run that goes on after a pause', async () => {
  const { id } = await fixture.crawl('/', { discover: false });
  await vi.waitUntil(() => target.requests.length > 20, { timeout: 20_000, interval: 2 });
  await actOnJob(fixture.pool, 'pause', id);
  await new Notifier(fixture.pool).notify('request');
  await fixture.reaches(id, 'paused');
  await actOnJob(fixture.pool, 'resume', id);
  await new Notifier(fixture.pool).notify('work');
  await fixture.reaches(id, 'completed');
  const { rows } = await fixture.pool.query('SELECT fetched, off_scope FROM crawl_states WHERE job_id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ fetched: 80, off_scope: {} }]);
  await checkInvariants(fixture.pool, id);
});
