import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CrawlOptions, crawlOptions, type Job } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { canonicalUrl } from '../../packages/server/src/web/urls/canonical-url.ts';
import { crawlKeyOf02 } from '../../packages/server/src/web/urls/crawl-key.ts';
import { urlHash } from '../../packages/server/src/web/urls/hashes.ts';
import { urlRules } from '../../packages/server/src/web/urls/url-rules.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

/** By request URL, letter by letter: links of a page, and what else it says. */
let pages: Record<string, { links?: readonly string[]; text?: string; status?: number }> = {};
const redirects: Record<string, string> = {
  '/promo': '/promo?utm_source=site',
  '/spring': '/promo?utm_source=spring',
  '/round/1': '/round/2?utm_source=a',
  '/round/2': '/round/1?utm_source=b',
  '/round/2?utm_source=a': '/round/1?utm_source=b',
  '/round/1?utm_source=b': '/round/2?utm_source=a',
};
for (const [from, to] of [
  ['/space?q=a+b', '/space?q=a%20b'],
  ['/space?q=c%20d', '/space?q=c+d'],
  ['/space/round?q=a+b', '/space/round?q=a%20b'],
  ['/space/round?q=a%20b', '/space/round?q=a+b'],
  ['/start', '/start?utm_source=site'],
] as const)
  redirects[from] = to;
let asked: string[] = [];

function answer(path: string, response: ServerResponse, request: IncomingMessage): boolean {
  asked.push(path);
  const location = redirects[path];
  if (location !== undefined) {
    response.writeHead(302, { location }).end();
    return true;
  }
  const page = pages[path];
  if (!page) return false;
  const { links = [], text = `The page ${path}`, status = 200 } = page;
  const etag = `"${Buffer.from(text).toString('base64url')}"`;
  if (status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return true;
  }
  const anchors = links.map((link) => `<a href="${link.replaceAll('&', '&amp;')}">on</a>`);
  response
    .writeHead(status, { 'content-type': 'text/html', etag })
    .end(`<!doctype html><title>T</title><main><p>${`${text}. `.repeat(10)}</p></main>${anchors.join(' ')}`);
  return true;
}

const fixture = new CrawlFixture({ pages: 0, answer });
const crawl = (path: string, options: Partial<CrawlOptions> = {}) => {
  asked = [];
  return fixture.crawled(path, { discover: false, ...options });
};

/** A crawl that began under the rules of version 0.2, and is made to wait before its first run. */
async function begunBy02(path: string, options: Partial<CrawlOptions> = {}): Promise<Job> {
  const payload = { discover: false, recrawl: true, ...options };
  const job = await fixture.crawl(path, payload, { run_at: new Date(Date.now() + 3_600_000).toISOString() });
  const key = crawlKeyOf02(crawlOptions.parse(job.payload));
  await fixture.pool.query('INSERT INTO crawl_states (job_id, crawl_key, url_rules) VALUES ($1, $2, 1)', [
    job.id,
    key,
  ]);
  return job;
}

async function letRun({ id }: Job): Promise<Job> {
  await fixture.pool.query('UPDATE crawl_jobs SET run_at = NULL WHERE id = $1', [id]);
  await new Notifier(fixture.pool).notify('work');
  return await fixture.reaches(id, 'completed', 'failed', 'cancelled', 'retryable');
}

async function changes(id: string): Promise<Record<string, string | null>> {
  const { rows } = await fixture.pool.query<{ url: string; change: string | null }>(
    `SELECT url, change::text FROM crawl_pages WHERE job_id = $1
     UNION ALL SELECT url, 'gone' FROM crawl_gone WHERE job_id = $1`,
    [id],
  );
  return Object.fromEntries(rows.map(({ url, change }) => [url.slice(fixture.site.origin.length), change]));
}

describe('URLs that somebody gives', () => {
  test('are fetched as they are, and are as many pages', async () => {
    const batch = [1, 2, 3, 4].map((n) => `/talk?session_id=${n}`);
    const token = 'a8f5f167f44f4964e6c998dee827110c';
    batch.push(`/talk?sid=${token}&utm_source=x`);
    pages = Object.fromEntries(batch.map((path) => [path, {}]));
    const urls = batch.slice(1).map((path) => fixture.site.origin + path);
    const job = await crawl(batch[0] as string, { urls });
    expect(await fixture.outcomes(job.id)).toEqual(
      Object.fromEntries(batch.toSorted().map((path) => [path, 'fetched'])),
    );
    expect(asked.filter((path) => path !== '/robots.txt').toSorted()).toEqual(batch.toSorted());
  });
});

describe('links', () => {
  test('lose a session id that looks random, unless it is to be kept', async () => {
    const token = 'a8f5f167f44f4964e6c998dee827110c';
    pages = {
      '/s': { links: ['/s/a?sid=1', '/s/a?sid=2', `/s/b?sid=${token}`, '/s/b'] },
      '/s/a?sid=1': {},
      '/s/a?sid=2': {},
      '/s/b': {},
      [`/s/b?sid=${token}`]: {},
    };
    const cut = await crawl('/s');
    const { [`/s/b?sid=${token}`]: _, ...others } = pages;
    expect(Object.keys(await fixture.outcomes(cut.id)).toSorted()).toEqual(Object.keys(others).toSorted());
    const kept = await crawl('/s', { keep_sessions: true });
    expect(Object.keys(await fixture.outcomes(kept.id)).toSorted()).toEqual(Object.keys(pages).toSorted());
  });

  test('with a plus or a percent-encoded space are one page, asked for as it was found', async () => {
    pages = { '/q': { links: ['/q?w=a+b', '/q?w=a%20b', '/q?w=c%20d', '/q?w=c+d'] } };
    pages['/q?w=a+b'] = { links: ['/q?w=a%20b&x=1', '/q?w=a%20b'] };
    pages['/q?w=c%20d'] = {};
    pages['/q?w=a%20b&x=1'] = {};
    const job = await crawl('/q');
    expect(await fixture.outcomes(job.id)).toEqual({
      '/q': 'fetched',
      '/q?w=a+b': 'fetched',
      '/q?w=c%20d': 'fetched',
      '/q?w=a%20b&x=1': 'fetched',
    });
    await checkInvariants(fixture.pool, job.id);
  });
});

describe('a redirect to another spelling of a space', () => {
  test.each([
    ['/space?q=a+b', '/space?q=a%20b'],
    ['/space?q=c%20d', '/space?q=c+d'],
  ])('leads to the page: %s', async (from, to) => {
    pages = { '/list': { links: [from, to] }, [to]: { links: ['/deep'] }, '/deep': {} };
    const job = await crawl('/list');
    expect(await fixture.outcomes(job.id)).toEqual({
      '/list': 'fetched',
      [to]: 'fetched',
      '/deep': 'fetched',
    });
    await checkInvariants(fixture.pool, job.id);
    const seed = await crawl(from);
    expect(seed.status).toBe('completed');
    expect(await fixture.outcomes(seed.id)).toEqual({ [to]: 'fetched', '/deep': 'fetched' });
    const again = await crawl('/list', { recrawl: true });
    expect(Object.values(await changes(again.id))).toEqual(Array(3).fill('unchanged'));
  });

  test('is an error when it goes in a circle', async () => {
    pages = { '/list': { links: ['/space/round?q=a+b'] } };
    const job = await crawl('/list');
    expect(Object.values(await fixture.outcomes(job.id)).toSorted()).toEqual([
      'failed: too_many_redirects',
      'fetched',
    ]);
  });
});

describe('a redirect that only adds tracking', () => {
  test.each([{ include: ['/docs/**'] }, { path_prefix: '/docs' }])(
    'is a seed whatever else is in scope: %j',
    async (options) => {
      pages = { '/start?utm_source=site': { links: ['/docs/1', '/other'] }, '/docs/1': {}, '/other': {} };
      const job = await crawl('/start', options);
      expect(job.status).toBe('completed');
      expect(await fixture.outcomes(job.id)).toEqual({
        '/start': 'redirected',
        '/start?utm_source=site': 'fetched',
        '/docs/1': 'fetched',
      });
    },
  );

  test('leads to the page, which is stored once', async () => {
    pages = { '/p': { links: ['/promo', '/spring', '/promo?utm_source=link'] } };
    pages['/promo?utm_source=site'] = { text: 'The offer' };
    const job = await crawl('/p');
    expect(await fixture.outcomes(job.id)).toEqual({
      '/p': 'fetched',
      '/promo': 'redirected',
      '/promo?utm_source=site': 'fetched',
      '/spring': 'redirected',
    });
    const seed = await crawl('/promo');
    expect(seed.status).toBe('completed');
    expect((await fixture.outcomes(seed.id))['/promo?utm_source=site']).toBe('fetched');
  });

  test('is an error when it goes in a circle', async () => {
    pages = { '/r': { links: ['/round/1'] } };
    const job = await crawl('/r');
    expect(job.status).toBe('completed');
    const outcomes = Object.values(await fixture.outcomes(job.id));
    expect(outcomes.filter((outcome) => outcome === 'failed: too_many_redirects')).toHaveLength(1);
    await checkInvariants(fixture.pool, job.id);
  });
});

describe('a crawl of version 0.2', () => {
  test('goes on under its own rules: what it has fetched is not fetched again', async () => {
    pages = { '/u': { links: ['/u?q=a+b', '/u?q=a%20b', '/u/t?session_id=1', '/u/t?session_id=2'] } };
    pages['/u?q=a+b'] = { links: ['/u/end?spm=1'] };
    pages['/u?q=a%20b'] = {};
    pages['/u/t'] = {};
    pages['/u/end?spm=1'] = {};
    const job = await begunBy02('/u');
    // As if an earlier run had fetched these.
    const had = ['/u?q=a+b', '/u?q=a%20b', '/u/t'].map((path) => urlHash(fixture.site.origin + path));
    await fixture.pool.query('INSERT INTO crawl_visited SELECT $1, unnest($2::uuid[])', [job.id, had]);
    asked = [];
    await letRun(job);
    expect(asked.filter((path) => path !== '/robots.txt')).toEqual(['/u']);
  });

  test('is the baseline of the next recrawl, where nothing is changed or gone because of the rules', async () => {
    const token = 'a8f5f167f44f4964e6c998dee827110c';
    const links = ['/v?q=a+b', '/v?q=c%20d', '/v/talk?session_id=1', '/v/talk?session_id=2'];
    links.push(
      '/v/cart?sessionid=7',
      '/v/item?spm=a.b',
      '/v/plain',
      `/v/old?sid=${token}`,
      '/v/away?w=x%20y',
    );
    links.push('/v/edited?xtor=1');
    pages = { '/v': { links: ['/v/list'] }, '/v/list': { links } };
    pages['/v/talk'] = { text: 'Which talk?' };
    pages['/v/cart'] = { text: 'Cart' };
    pages['/v/cart?sessionid=7'] = { text: 'Cart' };
    pages['/v/item'] = { text: 'Item' };
    pages['/v/item?spm=a.b'] = { text: 'Item' };
    for (const n of [1, 2]) pages[`/v/talk?session_id=${n}`] = { text: `Talk ${n}` };
    for (const path of [
      '/v?q=a+b',
      '/v?q=c%20d',
      '/v/item?spm=a.b',
      '/v/edited?xtor=1',
      '/v/plain',
      '/v/old',
      '/v/away?w=x%20y',
    ])
      pages[path] ??= {};
    const first = await letRun(await begunBy02('/v'));
    expect(Object.keys(await fixture.outcomes(first.id))).toEqual(
      ['/v', '/v/away?w=x%20y', '/v/cart', '/v/item?spm=a.b', '/v/list', '/v/old', '/v/plain', '/v/talk']
        .concat(['/v?q=a+b', '/v?q=c%20d', '/v/edited?xtor=1'])
        .toSorted(),
    );

    pages['/v/away?w=x%20y'] = { status: 404 };
    pages['/v/edited'] = { text: 'As it is now' };
    const second = await crawl('/v', { recrawl: true });
    expect(await changes(second.id)).toEqual({
      '/v': 'unchanged',
      '/v/list': 'unchanged',
      '/v/plain': 'unchanged',
      '/v/old': 'unchanged',
      '/v?q=a+b': 'unchanged',
      '/v?q=c%20d': 'unchanged',
      '/v/cart?sessionid=7': 'unchanged',
      '/v/talk?session_id=1': 'new',
      '/v/talk?session_id=2': 'new',
      '/v/item': 'unchanged',
      '/v/away?w=x%20y': 'gone',
      '/v/edited': 'changed',
    });
    const states = await fixture.pool.query(
      'SELECT baseline, url_rules, changed, gone FROM crawl_states WHERE job_id = $1',
      [second.id],
    );
    expect(states.rows).toEqual([{ baseline: first.id, url_rules: 2, changed: 1, gone: 1 }]);
    await checkInvariants(fixture.pool, second.id);

    pages['/v?q=c%20d'] = { text: 'Another text' };
    pages['/v/list'] = { text: 'A shorter list', links: links.filter((link) => !link.includes('plain')) };
    const third = await crawl('/v', { recrawl: true });
    expect(await changes(third.id)).toMatchObject({
      '/v/talk?session_id=1': 'unchanged',
      '/v/item': 'unchanged',
      '/v?q=c%20d': 'changed',
      '/v/plain': 'gone',
    });
  });

  test('is found as the baseline although its seeds had lost their parameters', async () => {
    const batch = ['/w?session_id=1', '/w?session_id=2'];
    pages = {
      '/w': { text: 'W' },
      [batch[0] as string]: { text: 'One' },
      [batch[1] as string]: { text: 'W' },
    };
    const options = { urls: [fixture.site.origin + batch[1]] };
    const first = await begunBy02(batch[0] as string, options);
    // As 0.2 stored it: its seeds, cut, were one page.
    const stored = canonicalUrl(fixture.site.origin + batch[0], undefined, { rules: urlRules[1] }) as string;
    await letRun(first);
    await fixture.pool.query('DELETE FROM crawl_pages WHERE job_id = $1 AND url LIKE $2', [first.id, '%=1']);
    await fixture.pool.query('UPDATE crawl_pages SET url = $2, url_hash = $3 WHERE job_id = $1', [
      first.id,
      stored,
      urlHash(stored),
    ]);
    const second = await crawl(batch[0] as string, { ...options, recrawl: true });
    expect(await changes(second.id)).toEqual({ '/w?session_id=1': 'new', '/w?session_id=2': 'unchanged' });
  });
});
