import type { IncomingMessage, ServerResponse } from 'node:http';
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
const redirect = (response: ServerResponse, location: string, cookie?: string) =>
  response.writeHead(302, { location, ...(cookie && { 'set-cookie': cookie }) }).end();

/** The cookies of the requests for each path. */
const seen = new Map<string, (string | undefined)[]>();
let visitors = 0;
const answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  // Sends the visitor to the same page until he has the cookie.
  '/self': (response, { headers }) =>
    headers.cookie?.includes('been=1') ? page(response) : redirect(response, '/self', 'been=1'),
  // Sends the visitor to another page for the cookie, and back.
  '/gate': (response, { headers }) =>
    headers.cookie?.includes('gate=open') ? page(response, '/behind-gate') : redirect(response, '/check'),
  '/check': (response) => redirect(response, '/gate', 'gate=open; Path=/'),
  '/behind-gate': (response) => page(response),
  '/round': (response) => redirect(response, '/round/2'),
  '/round/2': (response) => redirect(response, '/round', `n=${visitors++}`),
  '/start': (response, { headers }) => {
    if (!headers.cookie) response.setHeader('set-cookie', `visitor=${++visitors}; Path=/; HttpOnly`);
    page(response, ...Array.from({ length: 60 }, (_, n) => `/n/${n}`));
  },
};
const fixture = new CrawlFixture({
  pages: 0,
  answer: (path, response, request) => {
    seen.set(path, [...(seen.get(path) ?? []), request.headers.cookie]);
    if (path.startsWith('/n/')) setTimeout(() => page(response), 20);
    else answers[path]?.(response, request);
    return path.startsWith('/n/') || path in answers;
  },
});
const options = { discover: false };
const cookiesOf = (prefix: string) =>
  new Set([...seen].filter(([path]) => path.startsWith(prefix)).flatMap(([, cookies]) => cookies));

describe('a page that redirects until it gets its cookie back', () => {
  test('is fetched when it leads to itself', async () => {
    const job = await fixture.crawled('/self', options);
    expect(await fixture.outcomes(job.id)).toEqual({ '/self': 'fetched' });
  });

  test('is fetched when it leads round by another page', async () => {
    const job = await fixture.crawled('/gate', options);
    expect(await fixture.outcomes(job.id)).toEqual({
      '/gate': 'fetched',
      '/check': 'redirected',
      '/behind-gate': 'fetched',
    });
    await checkInvariants(fixture.pool, job.id);
  });

  test('fails without cookies', async () => {
    const job = await fixture.crawled('/self', { ...options, cookies: false }, { max_retries: 0 });
    expect(job).toMatchObject({ status: 'failed', error_code: 'too_many_redirects' });
  });

  test('fails when it never ends', async () => {
    const job = await fixture.crawled('/round', options, { max_retries: 0 });
    expect(job).toMatchObject({ status: 'failed', error_code: 'too_many_redirects' });
    await checkInvariants(fixture.pool, job.id);
    expect(seen.get('/round')?.length).toBeLessThan(5);
  });
});

describe('the cookies of a crawl', () => {
  test('go with all its requests, also after a pause, and never with those of another', async () => {
    seen.clear();
    const { id } = await fixture.crawl('/start', { ...options, delay_ms: 5 });
    await vi.waitUntil(() => (seen.get('/n/10')?.length ?? 0) > 0, { timeout: 20_000, interval: 5 });
    await actOnJob(fixture.pool, 'pause', id);
    await new Notifier(fixture.pool).notify('request');
    await fixture.reaches(id, 'paused');
    const visitor = `visitor=${visitors}`;
    await actOnJob(fixture.pool, 'resume', id);
    await new Notifier(fixture.pool).notify('work');
    await fixture.reaches(id, 'completed');
    expect(cookiesOf('/n/')).toEqual(new Set([visitor]));
    seen.clear();
    await fixture.crawled('/start', options);
    expect(seen.get('/start')).toEqual([undefined]);
    expect(cookiesOf('/n/')).toEqual(new Set([`visitor=${visitors}`]));
    expect(`visitor=${visitors}`).not.toBe(visitor);
  });

  test('survive a runner that is killed', async () => {
    seen.clear();
    const { id } = await fixture.crawl('/start', { ...options, delay_ms: 5 });
    await vi.waitUntil(() => (seen.get('/n/10')?.length ?? 0) > 0, { timeout: 20_000, interval: 5 });
    process.kill(fixture.worker?.runnerPid ?? 0, 'SIGKILL');
    await fixture.reaches(id, 'completed');
    expect(cookiesOf('/n/')).toEqual(new Set([`visitor=${visitors}`]));
    await checkInvariants(fixture.pool, id);
  });

  test('are deleted with it', async () => {
    const count = async () =>
      (await fixture.pool.query('SELECT count(*)::int AS n FROM crawl_cookies')).rows[0].n;
    expect(await count()).toBeGreaterThan(0);
    await fixture.pool.query('DELETE FROM crawl_jobs');
    expect(await count()).toBe(0);
  });
});
