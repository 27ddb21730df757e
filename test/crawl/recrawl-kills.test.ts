import { expect, test, vi } from 'vitest';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { killProcess } from '../crawl-fixture/worker-process.ts';

const count = 200;
/** Leaves of the tree: nothing is reached through them. */
const isGone = (page: number) => page >= 180 && page % 4 === 0;
/** Every tenth, and those that led to what is gone. */
const isEdited = (page: number) => page % 10 === 3 || isGone(page * 2 + 1) || isGone(page * 2 + 2);
let isSecond = false;

const fixture = new CrawlFixture({
  pages: count,
  linksPerPage: 0,
  delayMs: 15,
  version: (page) => (isSecond && isGone(page) ? null : isSecond && isEdited(page) ? 'edited' : ''),
});

test('a recrawl survives kills -9 of runner and supervisor, and tells what became of every page as if nothing had been', async () => {
  const options = { recrawl: true, discover: false };
  const first = await fixture.crawled('/', options);
  expect(first.status).toBe('completed');
  isSecond = true;
  const before = fixture.site.requests.length;
  const { id } = await fixture.crawl('/', options);
  for (const [kill, after] of [40, 80, 120].entries()) {
    await vi.waitUntil(() => fixture.site.requests.length > before + after, { timeout: 60_000, interval: 1 });
    killProcess(fixture.worker?.runnerPid);
    if (kill % 2 === 0) continue;
    await fixture.worker?.end('SIGKILL');
    fixture.startWorker();
  }
  const status = async () => (await showJob(fixture.pool, id)).status;
  await vi.waitUntil(async () => (await status()) === 'completed', { timeout: 60_000, interval: 50 });
  await checkInvariants(fixture.pool, id);
  const { rows } = await fixture.pool.query<{ url: string; change: string; title: string }>(
    'SELECT url, change, title FROM crawl_pages WHERE job_id = $1',
    [id],
  );
  const numbers = Array.from({ length: count }, (_, page) => page);
  expect(rows).toHaveLength(numbers.filter((page) => !isGone(page)).length);
  for (const { title, change } of rows)
    expect([title, change]).toEqual([title, isEdited(Number(title.slice(5))) ? 'changed' : 'unchanged']);
  const gone = await fixture.pool.query<{ title: string }>('SELECT title FROM crawl_gone WHERE job_id = $1', [
    id,
  ]);
  expect(gone.rows.map(({ title }) => Number(title.slice(5))).sort((a, b) => a - b)).toEqual(
    numbers.filter(isGone),
  );
  const pages = fixture.site.requests.slice(before).filter(({ path }) => path !== '/robots.txt');
  expect(pages.every(({ conditional }) => conditional)).toBe(true);
}, 180_000);
