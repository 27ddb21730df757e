import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { retryUrls } from '../../packages/server/src/crawl/frontier/retry-urls.ts';
import { listErrors } from '../../packages/server/src/pages/stored/list-errors.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const html = (title: string, text: string, links: readonly string[]) =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>
   <nav>${links.map((link) => `<a href="${link.replaceAll('&', '&amp;')}">on</a>`).join(' ')}</nav>`;

/** A page for every month there will ever be, with nothing on it. */
function calendar(path: string): string | null {
  const [, year, month] = /^\/cal\?year=(\d+)&month=(\d+)$/.exec(path) ?? [];
  if (year === undefined || month === undefined) return null;
  const at = Number(year) * 12 + Number(month) - 1;
  const link = (to: number) => `/cal?year=${Math.floor(to / 12)}&month=${(to % 12) + 1}`;
  const name = new Date(Date.UTC(2000, Number(month) - 1)).toLocaleString('en', { month: 'long' });
  return html(`${name} ${year}`, `There are no events in ${name} ${year}.`, [link(at + 1), link(at + 12)]);
}

/** A login page under a token that is made anew for every visitor. */
let tokens = 0;
function login(path: string): string | null {
  if (!path.startsWith('/login')) return null;
  const token = () => `k3u8q1n0v7c2m5t9r4p6w8x0z${tokens++}`;
  const links = [`/login?csrf=${token()}`, `/login?csrf=${token()}`];
  return html('Sign in', 'Please sign in with your name and your password to go on.', links);
}

const observed = Array.from({ length: 400 }, (_, i) =>
  new Date(Date.UTC(1950, 0, 1 + i)).toISOString().slice(0, 10),
);
/** A list of days of old: nothing is known of the first ones. */
function observations(path: string): string | null {
  if (path === '/weather')
    return html(
      'Weather',
      'All days',
      observed.map((day) => `/weather/${day}`),
    );
  const day = observed.indexOf(path.replace('/weather/', ''));
  if (day === -1) return null;
  return html(
    'Weather',
    day < 200 ? 'There are no observations of this day.' : `It had ${day * 7} mm of rain.`,
    [],
  );
}

const fixture = new CrawlFixture({
  pages: 0,
  answer: (path: string, response: ServerResponse) => {
    const body = calendar(path) ?? login(path) ?? observations(path);
    if (body === null) return false;
    response.setHeader('content-type', 'text/html').end(body);
    return true;
  },
});

/** On a busy machine hundreds of pages take their time. */
async function completed(id: string): Promise<void> {
  const status = async () => (await showJob(fixture.pool, id)).status;
  await vi.waitUntil(async () => (await status()) === 'completed', { timeout: 100_000, interval: 25 });
}

async function crawl(path: string, options = {}) {
  const job = await fixture.crawl(path, { discover: false, max_depth: 1000, ...options });
  await completed(job.id);
  return job;
}

async function counts(id: string) {
  const { rows } = await fixture.pool.query<{ outcome: string; reason: string | null; count: number }>(
    'SELECT outcome, reason, count(*) FROM crawl_pages WHERE job_id = $1 GROUP BY 1, 2',
    [id],
  );
  return Object.fromEntries(rows.map(({ outcome, reason, count }) => [reason ?? outcome, count]));
}

const nextYear = new Date().getUTCFullYear() + 1;

describe('an endless site', { timeout: 250_000 }, () => {
  test.each([
    ['calendar', `/cal?year=${nextYear}&month=1`, 'trap_calendar'],
    ['of tokens', '/login', 'trap_session_ids'],
  ])('%s ends by itself, says why, and what it skipped can be tried again', async (_, path, reason) => {
    const job = await crawl(path);
    const first = await counts(job.id);
    expect(first.fetched).toBeLessThan(300);
    expect(first[reason]).toBeGreaterThan(0);
    expect((await listErrors(fixture.pool, job.id)).data).toMatchObject([
      { outcome: 'skipped', reason, count: first[reason] },
    ]);
    await checkInvariants(fixture.pool, job.id);

    await retryUrls(fixture.pool, job.id, { reasons: [reason] });
    await new Notifier(fixture.pool).notify('work');
    await completed(job.id);
    const second = await counts(job.id);
    expect(second.fetched).toBeGreaterThanOrEqual((first.fetched ?? 0) + (first[reason] ?? 0));
    await checkInvariants(fixture.pool, job.id);
  });

  test('that goes on after a long row of empty pages loses none of them', async () => {
    const job = await crawl('/weather');
    expect(await counts(job.id)).toEqual({ fetched: observed.length + 1 });
    await checkInvariants(fixture.pool, job.id);
  });

  test('that goes on like this is fetched no further than its page limit', async () => {
    const job = await crawl('/weather', { max_pages: 350 });
    expect((await counts(job.id)).fetched).toBe(350);
    await checkInvariants(fixture.pool, job.id);
  });

  test('is crawled as far as other limits allow with traps off', async () => {
    const job = await crawl(`/cal?year=${nextYear}&month=1`, { traps: false, max_pages: 250 });
    expect(await counts(job.id)).toEqual({ fetched: 250 });
  });
});
