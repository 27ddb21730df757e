import { expect, test } from 'vitest';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

let failuresLeft = 3;
const fixture = new CrawlFixture(
  {
    pages: 12,
    answer: (path, response) => {
      if (!path.startsWith('/page/') || failuresLeft-- <= 0) return false;
      // Nobody answers: a page's own error would say nothing about its site.
      response.destroy();
      return true;
    },
  },
  { env: { HOLDFAST_BREAKER_FAILURES: '2', HOLDFAST_BREAKER_PAUSE_SECONDS: '2' } },
);

test('a site is paused after as many failures, and for as long, as is configured', async () => {
  // One at a time: what is under way when the breaker opens counts for nothing more.
  const job = await fixture.crawled('/', { concurrency: 1, discover: false });
  expect(job.status).toBe('completed');
  const times = fixture.site.requests.filter(({ path }) => path.startsWith('/page/')).map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(gaps[1], 'after the second failure').toBeGreaterThan(1_900);
  expect(gaps[2], 'after the probe that failed').toBeGreaterThan(1_900);
  expect(
    Object.values(await fixture.outcomes(job.id)).filter((outcome) => outcome === 'fetched'),
  ).toHaveLength(12);
});
