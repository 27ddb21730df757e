import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteOrphan, deleteOrphans } from '../../packages/server/src/crawl/retention/delete-orphans.ts';
import { pruneJobs } from '../../packages/server/src/crawl/retention/prune-jobs.ts';
import { actOnJob } from '../../packages/server/src/ops/jobs/act-on-job.ts';
import { diffPage } from '../../packages/server/src/pages/stored/diff-page.ts';
import { readPages } from '../../packages/server/src/pages/stored/read-pages.ts';
import { deleteJob } from '../../packages/server/src/queue/jobs/delete-job.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { shaUuid } from '../../packages/server/src/web/urls/hashes.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

interface SitePage {
  readonly text: string;
  /** Default: the path. */
  readonly title?: string;
  readonly headline?: string;
  /** Stands before the main content. */
  readonly above?: string;
  readonly links?: readonly string[];
  readonly nofollow?: readonly string[];
  readonly status?: number;
  readonly location?: string;
  readonly validator?: 'etag' | 'date' | 'none';
}

/** What the site has now; tests change it between two crawls. */
let pages: Record<string, SitePage> = {};
/** How each request was answered since the last crawl began. */
let answers: [path: string, status: number][] = [];

const lastModified = (page: SitePage) =>
  new Date(Date.UTC(2020, 0, 1) + page.text.length * 1000).toUTCString();

function answer(path: string, response: ServerResponse, request: IncomingMessage): boolean {
  const page = pages[path];
  if (!page) return false;
  const { validator = 'etag', text, links = [], nofollow = [], above = '' } = page;
  const { title = path, headline = path } = page;
  const etag = `"${Buffer.from(text).toString('base64url')}"`;
  if (validator === 'etag') response.setHeader('etag', etag);
  if (validator === 'date') response.setHeader('last-modified', lastModified(page));
  const isFresh =
    (validator === 'etag' && request.headers['if-none-match'] === etag) ||
    (validator === 'date' && request.headers['if-modified-since'] === lastModified(page));
  const status = page.status ?? (isFresh ? 304 : 200);
  answers.push([path, status]);
  if (status !== 200) {
    response.writeHead(status, page.location === undefined ? {} : { location: page.location }).end();
    return true;
  }
  const anchors = links.map((link) => `<a href="${link}">to ${link}</a>`);
  const others = nofollow.map((link) => `<a rel="nofollow" href="${link}">not to ${link}</a>`);
  response.setHeader('content-type', 'text/html; charset=utf-8').end(
    `<!doctype html><title>${title}</title>${above}<main><h1>${headline}</h1><p>${`${text} `.repeat(10)}</p>
     <p>${[...anchors, ...others].join(' ')}</p></main>`,
  );
  return true;
}

const fixture = new CrawlFixture({ pages: 0, answer });
beforeEach(() => {
  answers = [];
});

const crawl = (options = {}, path = '/') => {
  answers = [];
  return fixture.crawled(path, { discover: false, recrawl: true, ...options });
};

async function changes(id: string): Promise<Record<string, string | null>> {
  const { rows } = await fixture.pool.query<{ url: string; change: string | null }>(
    `SELECT url, change::text FROM crawl_pages WHERE job_id = $1
     UNION ALL SELECT url, 'gone: ' || title FROM crawl_gone WHERE job_id = $1`,
    [id],
  );
  return Object.fromEntries(rows.map(({ url, change }) => [url.slice(fixture.site.origin.length), change]));
}

async function stored(id: string) {
  const found: Record<string, { markdown: string | null; links: string[]; change: string | null }> = {};
  for await (const { url, markdown, links, change } of readPages(fixture.pool, id)) {
    const paths = links.map((link) => link.slice(fixture.site.origin.length));
    found[url.slice(fixture.site.origin.length)] = { markdown, links: paths, change };
  }
  return found;
}

const crawlTables = [
  'crawl_states',
  'crawl_pages',
  'crawl_visited',
  'crawl_frontier',
  'crawl_hosts',
  'crawl_gone',
];
/** The three ways in which a job goes: retention (as if it had been finished long ago), `jobs delete`, and plain SQL. */
const removals: Record<string, (id: string) => Promise<unknown>> = {
  pruned: async (id) => {
    await fixture.pool.query(
      `DELETE FROM crawl_jobs WHERE set_config('holdfast.deletes_in_batches', 'on', true) = 'on' AND id = $1`,
      [id],
    );
    await pruneJobs(fixture.pool, 30);
  },
  deleted: async (id) => {
    await deleteJob(fixture.pool, id);
    await deleteOrphan(fixture.pool, id);
  },
  'deleted by SQL': (id) => fixture.pool.query('DELETE FROM crawl_jobs WHERE id = $1', [id]),
};

async function rowsOf(id: string): Promise<number> {
  const counts = crawlTables.map((table) => `(SELECT count(*) FROM ${table} WHERE job_id = $1)`);
  return (await fixture.pool.query(`SELECT ${counts.join(' + ')} AS count`, [id])).rows[0].count;
}

async function contentRows(): Promise<number> {
  const { rows } = await fixture.pool.query<{ count: number }>('SELECT count(*) FROM crawl_page_contents');
  return rows[0]?.count ?? 0;
}

describe('a recrawl', () => {
  test('asks only for what changed, and tells new, changed, unchanged and gone pages apart', async () => {
    pages = {
      '/': { text: 'The start', links: ['/etag', '/date', '/plain', '/edited', '/leaves', '/unlinked'] },
      '/etag': { text: 'An entity tag', links: ['/behind'], nofollow: ['/private'] },
      '/behind': { text: 'Only linked from a page that does not change' },
      '/private': { text: 'Nobody may follow a link to it' },
      '/date': { text: 'A date', validator: 'date' },
      '/plain': { text: 'No validator', validator: 'none' },
      '/edited': { text: 'As it was', validator: 'none' },
      '/leaves': { text: 'Will be taken away' },
      '/unlinked': { text: 'Will be forgotten' },
    };
    const first = await crawl();
    expect(Object.values(await changes(first.id))).toEqual(Array.from({ length: 8 }, () => null));
    const before = await stored(first.id);
    const rowsBefore = await contentRows();

    pages['/'] = {
      text: 'The start',
      links: ['/etag', '/date', '/plain', '/edited', '/leaves', '/added'],
      validator: 'none',
    };
    pages['/edited'] = { text: 'As it is now', validator: 'none' };
    pages['/leaves'] = { text: '', status: 410 };
    pages['/added'] = { text: 'Not there before' };
    const second = await crawl();
    expect(second.status).toBe('completed');
    expect(await changes(second.id)).toEqual({
      '/': 'changed',
      '/etag': 'unchanged',
      '/behind': 'unchanged',
      '/date': 'unchanged',
      '/plain': 'unchanged',
      '/edited': 'changed',
      '/leaves': 'gone',
      '/added': 'new',
      '/unlinked': 'gone: /unlinked',
    });
    expect(Object.fromEntries(answers)).toEqual({
      '/': 200,
      '/etag': 304,
      '/behind': 304,
      '/date': 304,
      '/plain': 200,
      '/edited': 200,
      '/leaves': 410,
      '/added': 200,
    });
    await checkInvariants(fixture.pool, second.id);
    const { rows } = await fixture.pool.query(
      'SELECT baseline, new_pages, changed, unchanged, gone, fetched, failed FROM crawl_states WHERE job_id = $1',
      [second.id],
    );
    expect(rows).toEqual([
      { baseline: first.id, new_pages: 1, changed: 2, unchanged: 4, gone: 2, fetched: 7, failed: 1 },
    ]);
    const after = await stored(second.id);
    expect(after['/etag']).toEqual({ ...before['/etag'], change: 'unchanged' });
    expect(after['/plain']).toEqual({ ...before['/plain'], change: 'unchanged' });
    expect(after['/edited']?.markdown).toContain('As it is now');
    // The four that did not change are not stored again.
    expect(await contentRows()).toBe(rowsBefore + 3);
  });

  test('goes by what a reader sees: title, headline and main content, and nothing else', async () => {
    const plain = { text: 'The wind blows', validator: 'none' } as const;
    const storm = (level: number) => `Storm warning level ${level}`;
    const seen = ['title', 'headline', 'both', 'above', 'caption', 'link', 'image'];
    const unseen = ['meta', 'script', 'token', 'comment', 'signature'];
    const site = (level: number): typeof pages => ({
      '/s': { ...plain, links: [...seen, ...unseen].map((name) => `/s/${name}`) },
      '/s/title': { ...plain, title: storm(level) },
      '/s/headline': { ...plain, headline: storm(level) },
      '/s/both': { ...plain, title: storm(level), headline: storm(level) },
      // Outside of the main content, and not repeated by the title.
      '/s/above': { ...plain, above: `<header><h1>${storm(level)}</h1></header>`, headline: '' },
      '/s/caption': {
        ...plain,
        text: `<table><caption>${storm(level)}</caption><tr><td>1</td><td>2</td></tr></table>`,
      },
      '/s/link': { ...plain, text: `<a href="/files/${level}.zip">Download</a>` },
      '/s/image': { ...plain, text: `Seen <img alt="Map" src="/maps/${level}.png"> from above.` },
      '/s/meta': { ...plain, above: `<meta name="description" content="${storm(level)}">` },
      '/s/script': {
        ...plain,
        above: `<script>level = ${level}</script><style>p { order: ${level} }</style>`,
      },
      '/s/token': { ...plain, above: `<form><input type="hidden" name="csrf" value="${level}"></form>` },
      '/s/comment': { ...plain, text: `The wind <!-- ${storm(level)} --> blows` },
      '/s/signature': { ...plain, text: `Seen <img alt="Map" src="/maps/1.png?sig=${level}"> from above.` },
    });
    pages = site(1);
    await crawl({}, '/s');
    pages = site(2);
    const { id } = await crawl({}, '/s');
    const expected = [
      ['/s', 'unchanged'],
      ...seen.map((name) => [`/s/${name}`, 'changed']),
      ...unseen.map((name) => [`/s/${name}`, 'unchanged']),
    ];
    const told = await changes(id);
    expect(Object.fromEntries(expected.map(([path = '']) => [path, told[path]]))).toEqual(
      Object.fromEntries(expected),
    );
    // A changed page has a difference to show, and an unchanged one has none, but for the signatures of images.
    for (const [path = '', change] of expected.filter(([each]) => each !== '/s/signature')) {
      const { rows } = await fixture.pool.query(
        'SELECT url_hash FROM crawl_pages WHERE job_id = $1 AND url = $2',
        [...[id, fixture.site.origin + path]],
      );
      const { diff } = await diffPage(fixture.pool, id, rows[0].url_hash);
      expect([path, diff]).toEqual([
        path,
        change === 'changed' ? expect.stringMatching(/^-(?!-).*\b1\b.*\n\+.*\b2\b/m) : '',
      ]);
    }
  });

  test('recognises a page that an earlier version hashed by its text alone, however long it did not change', async () => {
    const text = (words: string) => `${words} `.repeat(10).trim();
    const hashed = (words: string) => shaUuid(text(words));
    pages = {
      '/h': { text: 'The start', links: ['/h/same', '/h/title', '/h/text', '/h/later'], validator: 'none' },
      '/h/same': { text: 'The same', validator: 'none' },
      '/h/title': { text: 'Below a title', validator: 'none' },
      '/h/text': { text: 'As it was', validator: 'none' },
      '/h/later': { text: 'Not sent again' },
    };
    const first = await crawl({}, '/h');
    for (const [path, page] of Object.entries(pages).slice(1))
      await fixture.pool.query('UPDATE crawl_pages SET content_hash = $3 WHERE job_id = $1 AND url = $2', [
        ...[first.id, fixture.site.origin + path, hashed(page.text)],
      ]);
    pages['/h/title'] = { text: 'Below a title', title: 'Another', validator: 'none' };
    pages['/h/text'] = { text: 'As it is', validator: 'none' };
    const second = await crawl({}, '/h');
    expect(await changes(second.id)).toEqual({
      '/h': 'unchanged',
      '/h/same': 'unchanged',
      '/h/title': 'changed',
      '/h/text': 'changed',
      '/h/later': 'unchanged',
    });
    expect(Object.fromEntries(answers)['/h/later']).toBe(304);
    // What was answered with 304 still has its old hash.
    pages['/h/later'] = { text: 'Not sent again', title: 'Sent', validator: 'none' };
    const third = await crawl({}, '/h');
    expect(await changes(third.id)).toEqual({
      '/h': 'unchanged',
      '/h/same': 'unchanged',
      '/h/title': 'unchanged',
      '/h/text': 'unchanged',
      '/h/later': 'changed',
    });
  });

  test('takes a page for gone that leads elsewhere now, and counts it as gone once', async () => {
    pages = {
      '/m': { text: 'The start', links: ['/m/1', '/m/login'] },
      '/m/1': { text: 'One' },
      '/m/login': { text: 'Who are you?' },
    };
    await crawl({}, '/m');
    pages['/m/1'] = { text: '', status: 302, location: '/m/login' };
    const second = await crawl({}, '/m');
    expect(await changes(second.id)).toEqual({ '/m': 'unchanged', '/m/1': 'gone', '/m/login': 'unchanged' });
    const { rows } = await fixture.pool.query('SELECT gone FROM crawl_states WHERE job_id = $1', [second.id]);
    expect(rows).toEqual([{ gone: 1 }]);
    await checkInvariants(fixture.pool, second.id);
    const third = await crawl({}, '/m');
    expect(await changes(third.id)).toEqual({ '/m': 'unchanged', '/m/1': null, '/m/login': 'unchanged' });
  });

  test('takes no page for gone that lies behind one that failed, or behind the limit', async () => {
    pages = {
      '/a': { text: 'The start', links: ['/a/list', '/a/last'] },
      '/a/list': { text: 'A list', links: ['/a/1', '/a/2'] },
      '/a/1': { text: 'One' },
      '/a/2': { text: 'Two' },
      '/a/last': { text: 'The last' },
    };
    await crawl({ attempts: 1 }, '/a');
    pages['/a/list'] = { text: '', status: 403 };
    const second = await crawl({ attempts: 1 }, '/a');
    expect(await changes(second.id)).toEqual({
      ...{
        '/a': 'unchanged',
        '/a/list': null,
        '/a/1': 'unchanged',
        '/a/2': 'unchanged',
        '/a/last': 'unchanged',
      },
    });
    await checkInvariants(fixture.pool, second.id);

    const limited = { max_pages: 3 };
    pages['/a/list'] = { text: 'A list', links: ['/a/1', '/a/2'] };
    await crawl(limited, '/a');
    pages['/a'] = { text: 'Another start', links: ['/a/1', '/a/2', '/a/last'] };
    const fourth = await crawl(limited, '/a');
    expect(Object.values(await changes(fourth.id))).not.toContain('gone: /a/list');
    await checkInvariants(fixture.pool, fourth.id);
  });

  test('compares a page that could not be had for a while with what was had of it before', async () => {
    pages = {
      '/o': { text: 'The start', links: ['/o/same', '/o/other', '/o/away', '/o/plain'] },
      '/o/same': { text: 'The same' },
      '/o/other': { text: 'Before' },
      '/o/away': { text: 'Soon away' },
      '/o/plain': { text: 'Without a validator', validator: 'none' },
    };
    const once = { attempts: 1 };
    const first = await crawl(once, '/o');
    const had = { ...pages };
    for (const path of ['/o/same', '/o/other', '/o/away', '/o/plain'])
      pages[path] = { text: '', status: 503 };
    const nothing = { '/o/same': null, '/o/other': null, '/o/away': null, '/o/plain': null };
    for (let outage = 0; outage < 2; outage++) {
      const { id } = await crawl(once, '/o');
      expect(await changes(id)).toEqual({ '/o': 'unchanged', ...nothing });
      await checkInvariants(fixture.pool, id);
    }

    pages = { ...had, '/o': { text: 'Another start', links: ['/o/same', '/o/other', '/o/plain'] } };
    pages['/o/other'] = { text: 'After' };
    delete pages['/o/away'];
    const last = await crawl(once, '/o');
    expect(await changes(last.id)).toEqual({
      '/o': 'changed',
      '/o/same': 'unchanged',
      '/o/other': 'changed',
      '/o/plain': 'unchanged',
      '/o/away': 'gone: /o/away',
    });
    expect(answers).toContainEqual(['/o/same', 304]);
    const { rows } = await fixture.pool.query(
      `SELECT status, outcome, content_job FROM crawl_pages WHERE job_id = $1 AND url LIKE '%/o/same'`,
      [last.id],
    );
    expect(rows).toEqual([{ status: 200, outcome: 'fetched', content_job: first.id }]);
    const seen = await fixture.pool.query(
      `SELECT gone.last_seen = page.fetched_at AS when_it_was_had FROM crawl_gone gone
       JOIN crawl_pages page ON page.job_id = $2 AND page.url_hash = gone.url_hash WHERE gone.job_id = $1`,
      [last.id, first.id],
    );
    expect(seen.rows).toEqual([{ when_it_was_had: true }]);
    await checkInvariants(fixture.pool, last.id);
  });

  test('is compared with its own kind only: the same start and options, of the same owner', async () => {
    pages = { '/b': { text: 'The only page' } };
    const first = await crawl({}, '/b');
    const baselineOf = async (job: { id: string }) =>
      (await fixture.pool.query('SELECT baseline FROM crawl_states WHERE job_id = $1', [job.id])).rows[0]
        .baseline;
    expect(await baselineOf(first)).toBeNull();
    expect(await baselineOf(await crawl({ max_depth: 1 }, '/b'))).toBeNull();
    expect(await baselineOf(await crawl({ recrawl: false }, '/b'))).toBeNull();
    const other = { discover: false, recrawl: true };
    expect(await baselineOf(await fixture.crawled('/b', other, { user_id: 'somebody else' }))).toBeNull();
    const slow = await crawl({ concurrency: 1, user_agent: 'Another/1.0' }, '/b');
    expect(await baselineOf(slow)).not.toBeNull();
  });

  test.each(Object.keys(removals))(
    'keeps the content it shares when its baseline is %s, and nobody keeps it any longer',
    async (way) => {
      const remove = removals[way] as (id: string) => Promise<unknown>;
      const start = `/c-${way.replaceAll(' ', '-')}`;
      pages = {
        [start]: { text: 'The start', links: [`${start}/1`, `${start}/2`] },
        [`${start}/1`]: { text: 'One' },
        [`${start}/2`]: { text: 'Two' },
      };
      const first = await crawl({}, start);
      pages[`${start}/2`] = { text: 'Two and a half' };
      const second = await crawl({}, start);
      const third = await crawl({}, start);
      expect(Object.values(await changes(third.id))).toEqual(['unchanged', 'unchanged', 'unchanged']);
      const whole = await stored(third.id);
      const contentsOf = async (...jobs: { id: string }[]) => {
        const ids = jobs.map(({ id }) => id);
        const { rows } = await fixture.pool.query(
          'SELECT count(*) FROM crawl_page_contents WHERE job_id = ANY ($1)',
          [ids],
        );
        return rows[0].count;
      };
      expect(await contentsOf(first, second, third)).toBe(4);
      await remove(first.id);
      expect([await contentsOf(first), await contentsOf(second)]).toEqual([2, 1]);
      await remove(second.id);
      expect(await stored(third.id)).toEqual(whole);
      await checkInvariants(fixture.pool, third.id);
      await remove(third.id);
      expect(await contentsOf(first, second, third)).toBe(0);
      for (const { id } of [first, second, third]) expect(await rowsOf(id)).toBe(0);
    },
  );

  test.each(Object.keys(removals))(
    'keeps the pages of a baseline that is %s until it is through',
    async (way) => {
      const remove = removals[way] as (id: string) => Promise<unknown>;
      const start = `/d-${way.replaceAll(' ', '-')}`;
      pages = { [start]: { text: 'The start', links: [`${start}/1`] }, [`${start}/1`]: { text: 'One' } };
      const first = await crawl({}, start);
      pages[`${start}/1`] = { text: 'One', status: 500 };
      const before = answers.length;
      const waiting = await fixture.crawl(start, { discover: false, recrawl: true });
      await vi.waitUntil(() => answers.slice(before).some(([path]) => path === `${start}/1`), {
        timeout: 20_000,
      });
      await actOnJob(fixture.pool, 'pause', waiting.id);
      await new Notifier(fixture.pool).notify('request');
      await fixture.reaches(waiting.id, 'paused');
      await remove(first.id);
      pages[`${start}/1`] = { text: 'One' };
      await actOnJob(fixture.pool, 'resume', waiting.id);
      await new Notifier(fixture.pool).notify('work');
      await fixture.reaches(waiting.id, 'completed');
      expect(Object.values(await changes(waiting.id))).toEqual(['unchanged', 'unchanged']);
      await checkInvariants(fixture.pool, waiting.id);
      // What was kept for it goes with the next sweep.
      expect(await rowsOf(first.id)).toBeGreaterThan(0);
      await deleteOrphans(fixture.pool);
      expect(await rowsOf(first.id)).toBe(0);
    },
  );

  test('is what its baseline cannot be begun afresh for', async () => {
    pages = { '/e': { text: 'The start', links: ['/e/missing'] } };
    const first = await crawl({}, '/e');
    await crawl({}, '/e');
    await fixture.pool.query(`UPDATE crawl_jobs SET status = 'failed' WHERE id = $1`, [first.id]);
    await expect(actOnJob(fixture.pool, 'retry', first.id, { afresh: true })).rejects.toMatchObject({
      code: 'action_not_allowed',
      message: expect.stringContaining('later crawls'),
    });
  });
});
