import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const program = await browserForTests();
const apps = 8;
const texts = 8;
const filler = 'with plenty of words that fill a page as pages are filled '.repeat(15);

const shell =
  '<!DOCTYPE html><title>App</title><body><div id="root"></div><script src="/app.js"></script></body>';
/** A page that has nothing in it until its script has asked the site for it. */
const app = `
  const route = location.hash.startsWith('#/') ? location.hash.slice(2) : location.pathname.split('/').pop();
  fetch('/data/' + route).then((answer) => answer.json()).then(({ title, text, links }) => {
    document.title = title;
    document.getElementById('root').innerHTML = '<main><h1>' + title + '</h1><p>' + text + '</p>'
      + links.map((link) => '<a href="' + link + '">more</a>').join(' ') + '</main>';
  });`;

function html(response: ServerResponse, body: string): true {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
  return true;
}

function answer(path: string, response: ServerResponse): boolean {
  const [, kind, name = ''] = /^\/(app|text|behind|data|lead|hash)\/?([\w-]*)$/.exec(path) ?? [];
  if (path === '/') {
    const links = Array.from({ length: apps }, (_, n) => `/app/${n}`).concat(
      Array.from({ length: texts }, (_, n) => `/text/${n}`),
    );
    return html(
      response,
      `<title>Home</title><main><p>${filler}</p></main>${links.map((link) => `<a href="${link}">on</a>`).join(' ')}`,
    );
  }
  if (path === '/app.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(app);
    return true;
  }
  if (kind === 'app' || kind === 'hash') return html(response, shell);
  if (kind === 'text')
    return html(
      response,
      `<title>Text ${name}</title><main><p>Text ${name} ${filler}</p></main><script type="module">1</script>`,
    );
  if (kind === 'behind')
    return html(response, `<title>Behind ${name}</title><main><p>Behind ${name} ${filler}</p></main>`);
  if (kind === 'lead')
    return html(response, `<title>Away</title><script>location.replace('/behind/lead')</script>`);
  if (kind === 'data') {
    const links = name === 'hash' ? ['#/one', '#/two'] : [`/behind/${name}`];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ title: `App ${name}`, text: `Rendered ${name} ${filler}`, links }));
    return true;
  }
  return false;
}

/** Tells this test's browsers from those of tests beside it: the name is in their command lines. */
const folder = mkdtempSync(join(tmpdir(), 'rendered-'));
// As root, browsers run under another account.
chmodSync(folder, 0o711);
const ownBrowser = `${folder}/holdfast-browser-`;
const fixture = new CrawlFixture({ pages: 0, answer }, { env: { TMPDIR: folder } });
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
afterEach(() => {
  fixture.site.requests.length = 0;
});

interface StoredPage {
  readonly path: string;
  readonly title: string;
  readonly rendered: boolean | null;
}

async function pagesOf(id: string): Promise<StoredPage[]> {
  const { rows } = await fixture.pool.query<StoredPage>(
    `SELECT substr(url, $2) AS path, title, rendered FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched' ORDER BY url`,
    [id, fixture.site.origin.length + 1],
  );
  return rows;
}

const titles = (pages: readonly StoredPage[]) => pages.map(({ title }) => title).sort();
const expected = [
  'Home',
  ...Array.from({ length: apps }, (_, n) => [`App ${n}`, `Behind ${n}`]).flat(),
  ...Array.from({ length: texts }, (_, n) => `Text ${n}`),
].sort();

/** Processes of the test's browser that are left. */
function browsersLeft(): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(ownBrowser);
    } catch {
      return false;
    }
  }).length;
}

describe.skipIf(!program)('a crawl of a site that needs JavaScript', { timeout: 180_000 }, () => {
  test('renders what needs it, finds the pages behind it, and leaves the others as they came', async () => {
    const { id, status } = await fixture.crawled('/');
    expect(status).toBe('completed');
    const pages = await pagesOf(id);
    expect(titles(pages)).toEqual(expected);
    const rendered = pages.filter((page) => page.rendered).map(({ title }) => title);
    expect(rendered.sort()).toEqual(expected.filter((title) => title.startsWith('App')));
    // A page is asked for once: the browser starts from that answer.
    for (const path of pages.map((page) => page.path)) expect(fixture.site.counts.get(path), path).toBe(1);
  });

  test('knows in the next crawl which pages need it', async () => {
    const before = await fixture.crawled('/', { max_depth: 1 });
    expect(before.status).toBe('completed');
    const { rows } = await fixture.pool.query(
      'SELECT shape, suspicion, rendered, needed FROM render_verdicts ORDER BY shape',
    );
    expect(rows).toEqual([
      { shape: '/app/*', suspicion: 'empty', rendered: 3, needed: 3 },
      { shape: '/text/*', suspicion: 'no_links', rendered: 3, needed: 0 },
    ]);
  });

  test('with render: never takes pages as they come, with always runs them all', async () => {
    const never = await fixture.crawled('/app/0', { render: 'never', strategy: 'single' });
    expect(await pagesOf(never.id)).toMatchObject([{ title: 'App', rendered: null }]);
    const always = await fixture.crawled('/text/0', { render: 'always', strategy: 'single' });
    expect(await pagesOf(always.id)).toMatchObject([{ title: 'Text 0', rendered: true }]);
  });

  test('follows a redirect by script like any other', async () => {
    const { id } = await fixture.crawled('/lead', { render: 'always' });
    expect(await fixture.outcomes(id)).toEqual({ '/lead': 'redirected', '/behind/lead': 'fetched' });
  });

  test('finds the pages of hash routes', async () => {
    const { id } = await fixture.crawled('/hash');
    expect(titles(await pagesOf(id))).toContain('App one');
    expect((await pagesOf(id)).map(({ path }) => path)).toEqual([
      '/behind/one',
      '/behind/two',
      '/hash',
      '/hash#/one',
      '/hash#/two',
    ]);
  });

  test('keeps pictures where it is told to', async () => {
    const { id } = await fixture.crawled('/text/1', { screenshot: true, strategy: 'single' });
    const { rows } = await fixture.pool.query<{ picture: Buffer }>(
      'SELECT picture FROM crawl_screenshots WHERE job_id = $1',
      [id],
    );
    expect(rows.map(({ picture }) => picture.subarray(1, 4).toString())).toEqual(['PNG']);
  });

  test('loses no page and stores none twice when browser, host, runner and worker are killed', async () => {
    const job = await fixture.crawl('/', {}, { max_retries: 20 });
    const seen = new Set<number>();
    for (const what of ['browser', 'host', 'runner', 'worker'] as const) {
      const rendered = async () =>
        (await pagesOf(job.id)).filter((page) => page.rendered).length > seen.size || (await isOver(job.id));
      await vi.waitUntil(rendered, { timeout: 60_000, interval: 20 });
      seen.add((await pagesOf(job.id)).length);
      kill(what);
      if (what !== 'worker') continue;
      await vi.waitUntil(() => browsersLeft() === 0, { timeout: 5_000, interval: 50 });
      fixture.startWorker();
    }
    expect((await fixture.reaches(job.id, 'completed', 'failed')).status).toBe('completed');
    expect(titles(await pagesOf(job.id))).toEqual(expected);
  });
});

async function isOver(id: string): Promise<boolean> {
  const { rows } = await fixture.pool.query<{ status: string }>(
    'SELECT status FROM crawl_jobs WHERE id = $1',
    [id],
  );
  return rows[0]?.status === 'completed';
}

/** One that is not there, because the crawl is over or was just killed, cannot be killed. */
function kill(what: 'browser' | 'host' | 'runner' | 'worker'): void {
  const worker = fixture.worker?.pid;
  const pids = {
    worker: () => [worker],
    runner: () => [fixture.worker?.runnerPid],
    host: () => childrenOf(worker, 'browser-host.js'),
    browser: browserPids,
  };
  for (const pid of pids[what]()) {
    try {
      if (pid) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

function childrenOf(parent: number | undefined, program: string): number[] {
  return processes()
    .filter(({ ppid, command }) => ppid === parent && command.includes(program))
    .map(({ pid }) => pid);
}

function browserPids(): number[] {
  return processes()
    .filter(({ command }) => command.includes(ownBrowser) && !command.includes('--type='))
    .map(({ pid }) => pid);
}

function processes(): { pid: number; ppid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const ppid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        return [{ pid: Number(name), ppid, command: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
      } catch {
        return [];
      }
    });
}

describe('a crawl where there is no browser', { timeout: 120_000 }, () => {
  test('takes pages as they come with auto, and fails them with always', async () => {
    await fixture.worker?.end('SIGTERM');
    const worker = fixture.startWorker({ HOLDFAST_BROWSER: '/nonexistent/chromium' });
    await worker.saying(/is ready/);
    const auto = await fixture.crawled('/app/0', { strategy: 'single' });
    expect(await pagesOf(auto.id)).toMatchObject([{ title: 'App', rendered: false }]);
    await worker.saying(/Pages that need JavaScript are stored as the server sent them/);
    const always = await fixture.crawled('/app/0', { strategy: 'single', render: 'always', attempts: 1 });
    expect(await fixture.outcomes(always.id)).toEqual({ '/app/0': 'failed: browser_unavailable' });
  });
});
