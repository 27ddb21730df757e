import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { startHttpProxy } from '../../packages/server/src/web/proxy/testing/local-proxy.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';

const program = await browserForTests();
const proxy = await startHttpProxy({ username: 'me', password: 'x' });
afterAll(() => proxy.close());

/** Paths whose request did not come from the proxy. */
const direct: string[] = [];
const filler = 'with plenty of words that fill a page as pages are filled '.repeat(15);

function answer(path: string, response: ServerResponse): boolean {
  if (!proxy.ports.has(response.req.socket.remotePort)) direct.push(path);
  const html = (status: number, body: string, headers = {}) => {
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
    return true;
  };
  if (path === '/app')
    return html(200, '<title>App</title><div id="root"></div><script src="/app.js"></script>');
  if (path === '/app.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(
      `fetch('/data').then((data) => data.text()).then((text) => { document.getElementById('root').textContent = text; });`,
    );
    return true;
  }
  if (path === '/data') {
    response.end(`Rendered ${filler}`);
    return true;
  }
  // A challenge that any browser passes, and one that none does.
  if (path === '/wall' && response.req.headers.cookie?.includes('passed=1'))
    return html(200, `<title>Behind</title><main><p>Behind the wall ${filler}</p></main>`);
  if (path === '/wall' || path === '/closed') {
    const script = path === '/wall' ? `document.cookie = 'passed=1'; location.reload();` : '';
    const page = `<title>Just a moment...</title><script>window._cf_chl_opt = {}; ${script}</script>`;
    return html(403, page, { 'cf-mitigated': 'challenge' });
  }
  return false;
}

const fixture = new CrawlFixture(
  { pages: 0, answer },
  { env: { HOLDFAST_PROXY: `http://me:x@127.0.0.1:${proxy.port}` } },
);

async function pageOf(path: string, options: object) {
  const { id } = await fixture.crawled(path, { strategy: 'single', discover: false, ...options });
  const { rows } = await fixture.pool.query(
    `SELECT outcome, reason, title, rendered, proxy, blocked FROM crawl_pages WHERE job_id = $1 AND kind = 'page'`,
    [id],
  );
  return rows[0];
}

describe.skipIf(!program)('a rendered page of a crawl with a proxy', { timeout: 90_000 }, () => {
  test('loads everything through it', async () => {
    expect(await pageOf('/app', { render: 'always' })).toMatchObject({
      outcome: 'fetched',
      rendered: true,
      proxy: 'default',
    });
    expect(fixture.site.counts.get('/data')).toBe(1);
    expect(direct).toEqual([]);
  });

  test('is a challenge that a browser runs only where on_block says so, and the record tells', async () => {
    const blocked = { by: 'cloudflare', kind: 'challenge', status: 403 };
    expect(await pageOf('/wall', {})).toMatchObject({ outcome: 'failed', reason: 'blocked', blocked });
    expect(await pageOf('/wall', { on_block: ['render'] })).toMatchObject({
      outcome: 'fetched',
      title: 'Behind',
      rendered: true,
      blocked: { ...blocked, tried: ['render'] },
    });
    expect(await pageOf('/closed', { on_block: ['render'] })).toMatchObject({
      outcome: 'failed',
      reason: 'blocked',
      blocked: { ...blocked, tried: ['render'] },
    });
    expect(direct).toEqual([]);
  });
});
