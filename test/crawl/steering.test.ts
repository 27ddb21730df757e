import { describe, expect, test, vi } from 'vitest';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { listEvents, showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const fixture = new CrawlFixture({ pages: 400, delayMs: 30 });
const requestsReach = (count: number) =>
  vi.waitUntil(() => fixture.site.requests.length >= count, { timeout: 20_000, interval: 2 });

async function ask(action: 'pause' | 'cancel', id: string): Promise<{ ms: number; requests: number }> {
  const asked = performance.now();
  await actOnJob(fixture.pool, action, id);
  await new Notifier(fixture.pool).notify('request');
  await vi.waitUntil(async () => (await showJob(fixture.pool, id)).status !== 'processing', {
    timeout: 10_000,
    interval: 5,
  });
  return { ms: performance.now() - asked, requests: fixture.site.requests.length };
}

/** The last of up to three crawls that were steered under way, and how long that takes: the median, for a machine that is busy once. */
async function steered(action: 'pause' | 'cancel'): Promise<{ id: string; ms: number; requests: number }> {
  const times: number[] = [];
  for (;;) {
    const { id } = await fixture.crawl('/', { discover: false });
    await requestsReach(fixture.site.requests.length + 60);
    const { ms, requests } = await ask(action, id);
    times.push(ms);
    const quick = times.filter((time) => time < 1_000).length;
    if (quick === 2 || times.length === 3) return { id, requests, ms: times.sort((x, y) => x - y)[1] ?? ms };
    if (action === 'pause') await actOnJob(fixture.pool, 'cancel', id);
  }
}

describe('a running crawl', () => {
  test('pauses within a second, asks the site nothing more, and goes on from there when resumed', async () => {
    const { id, ms, requests } = await steered('pause');
    expect((await showJob(fixture.pool, id)).status).toBe('paused');
    expect(ms).toBeLessThan(1_000);
    await checkInvariants(fixture.pool, id);
    const before = (await showJob(fixture.pool, id)).progress_percentage;
    // Another crawl starts and ends meanwhile: had the paused one gone on, its requests would be among these.
    const other = await fixture.crawled('/', { strategy: 'single', discover: false });
    expect(other.status).toBe('completed');
    expect(fixture.site.requests.length).toBeLessThanOrEqual(requests + 2);
    await actOnJob(fixture.pool, 'resume', id);
    await new Notifier(fixture.pool).notify('work');
    const done = await fixture.reaches(id, 'completed');
    expect(done.progress_percentage).toBeGreaterThan(before);
    expect(done.retry_count).toBe(0);
    const { rows } = await fixture.pool.query(
      `SELECT count(*) AS pages FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched'`,
      [id],
    );
    expect(rows).toEqual([{ pages: 400 }]);
    await checkInvariants(fixture.pool, id);
  });

  test('is cancelled within a second, and asks the site nothing more', async () => {
    const { id, ms, requests } = await steered('cancel');
    expect((await showJob(fixture.pool, id)).status).toBe('cancelled');
    // By the runner itself, not because it died.
    expect((await listEvents(fixture.pool, id)).at(-1)?.reason).toBe('cancelled at a checkpoint');
    expect(ms).toBeLessThan(1_000);
    await fixture.crawled('/', { strategy: 'single', discover: false });
    expect(fixture.site.requests.length).toBeLessThanOrEqual(requests + 2);
    await checkInvariants(fixture.pool, id);
  });

  test('is handed over by a worker that drains: no retry is burned and no page fetched twice', async () => {
    fixture.site.requests.length = 0;
    const { id } = await fixture.crawl('/', { discover: false });
    await requestsReach(60);
    await fixture.worker?.end('SIGTERM');
    expect(await showJob(fixture.pool, id)).toMatchObject({ status: 'pending', retry_count: 0 });
    fixture.startWorker();
    const done = await fixture.reaches(id, 'completed');
    expect(done.retry_count).toBe(0);
    expect([...fixture.site.counts.values()].filter((count) => count > 1)).toEqual([]);
    const transitions = (await listEvents(fixture.pool, id)).map((event) => event.transition);
    expect(transitions).toEqual(['enqueue', 'claim', 'release', 'claim', 'complete']);
  });
});
