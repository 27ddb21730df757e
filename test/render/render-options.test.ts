import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { retryUrls } from '../../packages/server/src/crawl/frontier/retry-urls.ts';
import { configureSource } from '../../packages/server/src/governor/sources/configure-source.ts';
import { readPages } from '../../packages/server/src/pages/stored/read-pages.ts';
import { Notifier } from '../../packages/server/src/queue/jobs/notifications.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const program = await browserForTests();
const filler = 'with plenty of words that fill a page as pages are filled '.repeat(10);
let price = '9.99';
let isOpen = false;

const endless = '<script>for (;;);</script>';
/** It can be clicked once the shop is open. */
const late = () =>
  `<!DOCTYPE html><title>Late</title><main><p>${filler}</p><p id="done"></p>${
    isOpen
      ? `<button id="buy" onclick="document.getElementById('done').textContent = 'Bought'">Buy</button>`
      : ''
  }</main>`;

/** An app that shows what its data says; its page never changes and says so. */
const shell = `<!DOCTYPE html><title>App</title><body><div id="root"></div><script>
  fetch('/data').then((answer) => answer.text()).then((text) => {
    document.getElementById('root').innerHTML = '<main><h1>Shown</h1><p>' + text + '</p></main>';
  });</script></body>`;

/** What was done to it stands in its text. */
const form = `<!DOCTYPE html><title>Form</title><main><p>${filler}</p><input id="q"><button id="more">More</button>
  <ul id="done"></ul><div style="height: 5000px"></div></main><script>
  const say = (text) => { document.getElementById('done').innerHTML += '<li>' + text + '</li>'; };
  document.getElementById('more').onclick = () => say('clicked');
  document.getElementById('q').onkeydown = (event) => {
    if (event.key !== 'Enter') return;
    say('typed ' + event.target.value);
    addEventListener('scroll', () => say('scrolled to ' + Math.round(scrollY)), { once: true });
  };</script>`;

/** Server-rendered, and its script never comes to an end of loading. */
const heavy = `<!DOCTYPE html><title>Heavy</title><main><p>Text ${filler}</p></main><script type="module">1</script>`;

function answer(path: string, response: ServerResponse): boolean {
  const pages: Record<string, string> = {
    '/app': shell,
    '/form': form,
    '/heavy': heavy,
    '/late': late(),
    '/hanging': `<title>Hanging</title><main><p>Hanging ${filler}</p></main><script type="module">1</script>${endless}`,
    '/hanging-empty': `<title>Hanging</title><body><div id="root"></div>${endless}`,
  };
  const page = pages[path];
  if (page !== undefined) {
    response.setHeader('etag', '"always"');
    if (response.req.headers['if-none-match'] === '"always"') response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    return true;
  }
  if (path === '/plain') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>Plain</title><p>${filler}</p>`);
    return true;
  }
  if (path !== '/data') return false;
  response.writeHead(200, { 'content-type': 'text/plain' }).end(`Costs ${price} ${filler}`);
  return true;
}

const fixture = new CrawlFixture({ pages: 0, answer });
afterEach(() => {
  price = '9.99';
  isOpen = false;
});

async function pageOf(id: string) {
  for await (const page of readPages(fixture.pool, id, { html: true, screenshots: true })) return page;
  throw new Error('no page is stored');
}

const single = { strategy: 'single' } as const;

describe.skipIf(!program)('options of rendered pages', { timeout: 120_000 }, () => {
  test('every page says how it was fetched, and why', async () => {
    const app = await fixture.crawled('/app', { ...single, store_html: true });
    expect(await pageOf(app.id)).toMatchObject({ rendered: true, render_reason: 'empty' });
    // The HTML that is kept is what the scripts made of it.
    expect((await pageOf(app.id)).html).toContain('<h1>Shown</h1>');
    const plain = await fixture.crawled('/plain', single);
    expect(await pageOf(plain.id)).toMatchObject({ rendered: false, render_reason: null });
    const heavy = await fixture.crawled('/heavy', single);
    expect(await pageOf(heavy.id)).toMatchObject({ rendered: false, render_reason: 'complete' });
    const always = await fixture.crawled('/plain', { ...single, render: 'always' });
    expect(await pageOf(always.id)).toMatchObject({ rendered: true, render_reason: 'always' });
  });

  test('a recrawl sees what an app shows now, although its page is the same as ever', async () => {
    const before = await fixture.crawled('/app', single);
    expect((await pageOf(before.id)).etag).toBe('"always"');
    price = '8.49';
    const { id } = await fixture.crawled('/app', { ...single, recrawl: true });
    expect(await pageOf(id)).toMatchObject({ rendered: true, change: 'changed' });
    expect((await pageOf(id)).markdown).toContain('Costs 8.49');
  });

  test('actions are performed in their order, and a screenshot shows what came of them', async () => {
    const { id } = await fixture.crawled('/form', {
      ...single,
      screenshot: 'full_page',
      actions: [
        { type: 'click', selector: '#more' },
        { type: 'click', selector: '#cookies', optional: true },
        { type: 'type', selector: '#q', text: 'kettle' },
        { type: 'press', key: 'Enter' },
        { type: 'scroll', direction: 'down', amount: 600 },
        { type: 'wait', selector: 'li:nth-child(3)' },
        { type: 'evaluate', script: 'await Promise.resolve(); say("evaluated")' },
      ],
    });
    const page = await pageOf(id);
    expect(page.markdown).toMatch(/- clicked\n- typed kettle\n- scrolled to \d+\n- evaluated/);
    expect(page).toMatchObject({ rendered: true, render_reason: 'screenshot', has_screenshot: true });
    // PNG: its height stands behind its width.
    expect(page.screenshot?.readUInt32BE(20)).toBeGreaterThan(5000);
  });

  test('a page on which an action cannot be performed fails, and says which', async () => {
    const { id } = await fixture.crawled('/form', {
      ...single,
      actions: [{ type: 'press', key: 'Entr' }],
    });
    const { rows } = await fixture.pool.query('SELECT reason, message FROM crawl_pages WHERE job_id = $1', [
      id,
    ]);
    expect(rows).toMatchObject([{ reason: 'action_failed', message: expect.stringContaining('press Entr') }]);
  });

  test('a page that hangs is stored as it came if it came with text, and fails if it did not', async () => {
    const brief = { ...single, page_timeout_seconds: 4, attempts: 1 };
    const text = await fixture.crawled('/hanging', brief);
    expect(await pageOf(text.id)).toMatchObject({ rendered: false, render_reason: 'render_failed' });
    expect((await pageOf(text.id)).markdown).toContain('Hanging with plenty');
    const empty = await fixture.crawled('/hanging-empty', brief);
    // The browser that hung on the page before may take this one along.
    expect(empty.error_code).toMatch(/^render_(timeout|failed)$/);
    expect(await fixture.outcomes(empty.id)).toEqual({ '/hanging-empty': `failed: ${empty.error_code}` });
  });

  test('a page that could not be rendered is tried again by retry-urls, and replaces its record', async () => {
    const { id } = await fixture.crawled('/late', {
      ...single,
      screenshot: true,
      actions: [{ type: 'evaluate', script: 'document.getElementById("buy").click()' }],
    });
    expect(await fixture.outcomes(id)).toEqual({ '/late': 'failed: action_failed' });
    isOpen = true;
    await retryUrls(fixture.pool, id, { reasons: ['action_failed'] });
    await new Notifier(fixture.pool).notify('work');
    expect((await fixture.reaches(id, 'completed', 'failed')).status).toBe('completed');
    expect(await pageOf(id)).toMatchObject({ rendered: true, has_screenshot: true });
    expect((await pageOf(id)).markdown).toContain('Bought');
  });

  test('a source decides for crawls that leave it open', async () => {
    const { host } = new URL(fixture.site.origin);
    const set = (render: 'never' | 'always' | null) =>
      configureSource(fixture.pool, `host:${host}`, { hosts: [host], render });
    const how = async (path: string, render: 'auto' | 'always' = 'auto') => {
      const { id } = await fixture.crawled(path, { ...single, render });
      const { rendered, render_reason } = await pageOf(id);
      return [rendered, render_reason];
    };
    await set('never');
    expect(await how('/app')).toEqual([false, null]);
    expect(await how('/app', 'always')).toEqual([true, 'always']);
    await set('always');
    expect(await how('/plain')).toEqual([true, 'always']);
    await set(null);
    expect(await how('/plain')).toEqual([false, null]);
  });
});
