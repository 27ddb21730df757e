import { expect, test } from 'vitest';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { killProcess } from '../crawl-fixture/worker-process.ts';

const links = ['/poison', ...Array.from({ length: 30 }, (_, page) => `/harmless/${page}`)];
const fixture: CrawlFixture = new CrawlFixture({
  pages: 0,
  answer: (path, response) => {
    // Whatever it is about this page, it is the death of every runner that asks for it.
    if (path === '/poison') killProcess(fixture.worker?.runnerPid);
    const items =
      path === '/' ? links.map((link) => `<a href="${link}">${link}</a>`).join(' ') : 'Nothing special.';
    if (path === '/' || path.startsWith('/harmless/')) {
      response.setHeader('content-type', 'text/html').end(`<main><p>${items}</p></main>`);
      return true;
    }
    return path === '/poison';
  },
});

// Two are what one-shot commands have.
test.each([3, 2])(
  'a page that kills every runner ends as a failed page; the crawl, with %i retries, and its neighbours do not',
  async (max_retries) => {
    const job = await fixture.crawled('/', { discover: false }, { max_retries });
    expect(job).toMatchObject({ status: 'completed' });
    const outcomes = await fixture.outcomes(job.id);
    expect(outcomes['/poison']).toBe('failed: runner_crashed');
    expect(Object.values(outcomes).filter((outcome) => outcome === 'fetched')).toHaveLength(31);
    await checkInvariants(fixture.pool, job.id);
  },
  60_000,
);
