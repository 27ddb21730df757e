import type { ServerResponse } from 'node:http';
import { crawlOptions, type JobRequest } from '@holdfast/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { migrate } from '../../packages/server/src/base/database/migrate.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { enqueueJob } from '../../packages/server/src/queue/jobs/enqueue-jobs.ts';
import { showJob } from '../../packages/server/src/queue/jobs/find-jobs.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { crawlKey } from '../../packages/server/src/web/urls/crawl-key.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';
import { WorkerProcess } from '../crawl-fixture/worker-process.ts';
import { createTestDatabase, type TestDatabase } from '../database-fixture/create-test-database.ts';
import { discovered, keyOf, migrationsOf02, type StoredPage, storeCrawl } from './store-crawl.ts';

/** The text of each page as it was and as it is, and its links: all that 0.2.0 and today's rules judge differently. */
const words: Record<string, string> = {
  '/': 'start',
  '/list': 'lists',
  '/list?session_id=1': 'first',
  '/list?session_id=2': 'second',
  '/shop': 'shop',
  '/shop?pk_id=7': 'shop',
  '/shop?scid=8': 'shop',
  '/search?q=red+shoes': 'shoes',
  '/search?q=red%20shoes': 'shoes',
  '/search?q=blue%20hats': 'hats',
  '/search?q=blue+hats': 'hats',
  '/item?id=4': 'item',
  '/item?id=4&spm=a.b': 'item',
  '/item?id=5': 'five',
  '/item?wt_mc=mail&id=5': 'five',
  '/terms?s=2024-fall-semester': 'fall',
  '/terms': 'terms',
  '/cart': 'cart',
  '/cart;jsessionid=0123456789abcdef0123': 'cart',
  '/cart?sid=4f8a2c9e1b7d3056af81': 'cart',
  '/news/2019/05/03/story': 'story',
  '/calendar?year=2019&month=5': 'may',
  '/product/20455678': 'product',
  '/plain': 'plain',
  '/late': 'late',
};
const links: Record<string, readonly string[]> = {
  '/': [
    ...['/list?session_id=1', '/list?session_id=2', '/shop?pk_id=7', '/shop?scid=8'],
    ...['/search?q=red+shoes', '/search?q=red%20shoes', '/search?q=blue%20hats'],
    ...['/item?id=4&spm=a.b', '/item?wt_mc=mail&id=5', '/terms?s=2024-fall-semester'],
    ...['/cart;jsessionid=0123456789abcdef0123', '/cart?sid=4f8a2c9e1b7d3056af81'],
    ...['/news/2019/05/03/story', '/calendar?year=2019&month=5', '/product/20455678', '/plain', '/old'],
  ],
  '/plain': ['/', '/late', '/list?session_id=3', '/shop?pk_id=9'],
};
const textOf = (path: string) => Array.from({ length: 20 }, () => words[path]).join(' ');

const had = (path: string, more: Partial<StoredPage> = {}): StoredPage => ({
  path,
  text: textOf(path),
  etag: `"${words[path]}"`,
  ...more,
});
/** What version 0.2.0 made of the site: the form in which it stored each URL. */
const ofStart: readonly StoredPage[] = [
  ...['/list', '/shop', '/search?q=red+shoes', '/search?q=red%20shoes', '/search?q=blue%20hats'],
  ...['/item?id=4&spm=a.b', '/item?wt_mc=mail&id=5', '/terms', '/cart', '/news/2019/05/03/story'],
  ...['/calendar?year=2019&month=5', '/product/20455678'],
].map((path) => had(path));
const start = had('/', { depth: 0, links: [...ofStart.map(({ path }) => path), '/plain', '/old'] });
const plain = had('/plain', { links: ['/', '/late', '/list', '/shop'] });
const wholeSite: readonly StoredPage[] = [
  start,
  ...discovered,
  ...ofStart,
  plain,
  { path: '/old', target: '/plain' },
  had('/late', { depth: 2 }),
];

let database: TestDatabase;
let site: TestSite;
let worker: WorkerProcess | undefined;
/** What the site answers otherwise than `words` say. */
let edits: Record<string, string | null> = {};
let titles: Record<string, string> = {};
/** Taken for boilerplate by 0.2, for its name, and kept by today's rules. */
const notes = '<section class="related"><h2>Notes</h2><p>What is worth a note stands here.</p></section>';

function answer(path: string, response: ServerResponse): boolean {
  const word = edits[path] === undefined ? words[path] : edits[path];
  if (path === '/old') response.writeHead(301, { location: '/plain' }).end();
  if (path === '/old') return true;
  if (!word) return false;
  const anchors = (links[path] ?? []).map((link) => `<a href="${link.replaceAll('&', '&amp;')}">${link}</a>`);
  const text = Array.from({ length: 20 }, () => word).join(' ');
  const title = titles[path] ?? path.split(';')[0];
  response
    .setHeader('content-type', 'text/html; charset=utf-8')
    .setHeader('etag', `"${word}"`)
    .end(
      `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>${text}</p>${notes}</main><nav>${anchors.join(' ')}</nav>`,
    );
  return true;
}

beforeEach(async () => {
  edits = {};
  titles = {};
  database = await createTestDatabase({ migrated: false });
  await migrate(database.pool, migrationsOf02());
  site = await TestSite.start({ pages: 0, answer });
});
afterEach(async () => {
  await worker?.end('SIGKILL');
  worker = undefined;
  await site.stop();
  await database.drop();
});

/** Today's worker, which brings the database up to date. */
async function upgrade(): Promise<void> {
  worker = new WorkerProcess(database.url, { HOLDFAST_ALLOW_PRIVATE: site.origin });
  await worker.saying(/is ready/);
}

async function ended(id: string): Promise<string> {
  const done = ['completed', 'failed', 'cancelled', 'retryable'];
  return await vi.waitUntil(
    async () => {
      const { status } = await showJob(database.pool, id);
      return done.includes(status) && status;
    },
    { timeout: 50_000, interval: 25 },
  );
}

/** Crawls again, and tells of each URL how it differs. */
async function recrawl(path = '/'): Promise<{ changes: Record<string, string>; id: string }> {
  const payload = { url: site.origin + path, recrawl: true };
  const { job } = await enqueueJob(database.pool, { kind: 'crawl', payload } as JobRequest);
  await new Notifier(database.pool).notify('work');
  expect(await ended(job.id)).toBe('completed');
  await checkInvariants(database.pool, job.id);
  const { rows } = await database.pool.query<{ url: string; change: string }>(
    `SELECT url, change::text FROM crawl_pages WHERE job_id = $1 AND change IS NOT NULL
     UNION ALL SELECT url, 'gone' FROM crawl_gone WHERE job_id = $1`,
    [job.id],
  );
  const changes = rows.map(({ url, change }) => [url.slice(site.origin.length), change] as const);
  return { changes: Object.fromEntries(changes), id: job.id };
}
const only = (changes: Record<string, string>, wanted: string) =>
  Object.keys(changes)
    .filter((path) => changes[path] === wanted)
    .toSorted();

/** Two pages that 0.2.0 took for one, with its session cut; and one whose term it took for a session. */
const newlyToldApart = ['/list?session_id=1', '/list?session_id=2', '/terms?s=2024-fall-semester'];

describe('a baseline of version 0.2.0', () => {
  test('is told nothing of as changed or gone only because rules changed, in the next recrawl and in the one after it', async () => {
    await storeCrawl(database.pool, {
      origin: site.origin,
      payload: { url: `${site.origin}/` },
      pages: wholeSite,
    });
    await upgrade();
    const { changes } = await recrawl();
    expect([only(changes, 'changed'), only(changes, 'gone')]).toEqual([[], []]);
    expect(only(changes, 'new')).toEqual(newlyToldApart);
    expect(changes['/shop?pk_id=7']).toBe('unchanged');

    const again = await recrawl();
    expect(Object.keys(again.changes)).toEqual(expect.arrayContaining(newlyToldApart));
    expect(only(again.changes, 'unchanged')).toEqual(Object.keys(again.changes).toSorted());
  });

  test('is told of what did change and what is gone', async () => {
    const pages = [
      ...wholeSite,
      had('/late', { path: '/removed' }),
      had('/late', { path: '/removed?session_id=9' }),
    ];
    await storeCrawl(database.pool, { origin: site.origin, payload: { url: `${site.origin}/` }, pages });
    Object.assign(edits, { '/product/20455678': 'edited', '/item?id=4': 'edited' });
    edits['/calendar?year=2019&month=5'] = null;
    await upgrade();
    const { changes, id } = await recrawl();
    expect(only(changes, 'changed')).toEqual(['/item?id=4', '/product/20455678']);
    expect(only(changes, 'gone')).toEqual([
      '/calendar?year=2019&month=5',
      '/removed',
      '/removed?session_id=9',
    ]);
    const { rows } = await database.pool.query('SELECT changed, gone FROM crawl_states WHERE job_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ changed: 2, gone: 3 }]);
  });

  test('is told of a title that changed, though it hashed no titles', async () => {
    await storeCrawl(database.pool, {
      origin: site.origin,
      payload: { url: `${site.origin}/` },
      pages: wholeSite,
    });
    titles['/plain'] = 'Another title';
    await upgrade();
    const { changes } = await recrawl();
    expect(only(changes, 'changed')).toEqual(['/plain']);
  });

  test('is found by a start that it cut', async () => {
    const payload = { url: `${site.origin}/?session_id=7` };
    words['/?session_id=7'] = 'start';
    links['/?session_id=7'] = links['/'] ?? [];
    await storeCrawl(database.pool, { origin: site.origin, payload, pages: wholeSite });
    await upgrade();
    const { changes } = await recrawl('/?session_id=7');
    expect([only(changes, 'changed'), only(changes, 'gone')]).toEqual([[], []]);
    expect(only(changes, 'new')).toEqual(newlyToldApart);
  });
});

describe('a crawl that version 0.2.0 left paused', () => {
  const pages = wholeSite.filter(
    ({ path }) => !['/plain', '/late', '/cart', '/search?q=red%20shoes'].includes(path),
  );
  const pending = ['/plain', '/cart', '/search?q=red%20shoes'].map((path) => ({ path, depth: 1 }));
  /** What was left, and what that led to. */
  const expected = [...pending.map(({ path }) => path), '/late'].toSorted();
  const fetched = () => [...site.counts.keys()].toSorted();

  test('goes on to its end, fetches nothing again, and is the baseline of the next', async () => {
    const payload = { url: `${site.origin}/` };
    const id = await storeCrawl(database.pool, { origin: site.origin, payload, pages, pending });
    await upgrade();
    await actOnJob(database.pool, 'resume', id);
    expect(await ended(id)).toBe('completed');
    expect(fetched()).toEqual(expected);
    expect([...site.counts.values()]).toEqual(expected.map(() => 1));
    await checkInvariants(database.pool, id);
    const { rows } = await database.pool.query(
      'SELECT count(*) AS pages, count(DISTINCT url) AS urls FROM crawl_pages WHERE job_id = $1',
      [id],
    );
    expect(rows).toEqual([{ pages: wholeSite.length, urls: wholeSite.length }]);

    const { changes } = await recrawl();
    expect([only(changes, 'changed'), only(changes, 'gone')]).toEqual([[], []]);
    expect(only(changes, 'new')).toEqual(newlyToldApart);
  });

  test('is gone on with by the command that began it', async () => {
    const key = keyOf(`${site.origin}/`);
    const payload = { url: `${site.origin}/` };
    const id = await storeCrawl(database.pool, {
      origin: site.origin,
      payload,
      pages,
      pending,
      dedupe_key: key,
    });
    const outcome = await runHoldfast(
      ['crawl', `${site.origin}/`, '--allow-private', site.origin, '--out', '-', '--quiet'],
      { DATABASE_URL: database.url },
    );
    expect([outcome.exit, fetched()]).toEqual([0, expected]);
    expect(await ended(id)).toBe('completed');
  });
});

test.each([
  'https://example.com/',
  'https://example.com/a/b?q=1&page=2',
  'http://127.0.0.1:8080/news/2019/05/03/',
])('a crawl of %s with default options keeps its name', (url) => {
  expect(crawlKey(crawlOptions.parse({ url }))).toBe(keyOf(url));
});
