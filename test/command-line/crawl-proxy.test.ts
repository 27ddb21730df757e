import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type LocalProxy, startHttpProxy } from '../../packages/server/src/web/proxy/testing/local-proxy.ts';
import { CrawlCommandFixture } from './crawl-command-fixture.ts';
import { runHoldfast } from './run-holdfast.ts';
import { startTreeSite } from './tree-site.ts';

const fixture = new CrawlCommandFixture();
const password = 'planted-secret';
let proxy: LocalProxy | undefined;
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
});

/** Everything that a secret could be written in. */
const forms = [password, btoa(`me:${password}`), Buffer.from(password).toString('hex')];

describe('holdfast crawl through a proxy', () => {
  test('by name: every page says so, and the password is nowhere to be read', async () => {
    fixture.site = await startTreeSite(3);
    proxy = await startHttpProxy({ username: 'me', password });
    const env = { ...fixture.env, HOLDFAST_LOG_LEVEL: 'trace' };
    const run = (...args: string[]) => runHoldfast(args, env, fixture.folder);
    const { origin } = fixture.site;
    const outcomes = [
      await run('proxies', 'add', 'eu', `http://me:${password}@127.0.0.1:${proxy.port}`),
      await run('crawl', `${origin}/`, '--allow-private', origin, '--no-discover', '--proxy', 'eu', '--json'),
      await run('proxies', 'list'),
      await run('proxies', 'show', 'eu', '--json'),
      await run('proxies', 'check', 'eu', '--url', `${origin}/`),
    ];
    const [, crawled, listed, shown] = outcomes;
    expect([crawled?.exit, JSON.parse(crawled?.stdout ?? '')]).toMatchObject([
      0,
      { status: 'completed', fetched: 3 },
    ]);
    const { job } = JSON.parse(crawled?.stdout ?? '');
    outcomes.push(
      await run('pages', 'list', job),
      await run('jobs', 'show', job),
      await run('export', job, '--format', 'jsonl', '--out', '-'),
      await run('doctor'),
    );
    expect(outcomes[5]?.stdout).toMatch(/\beu\b/);
    expect(listed?.stdout).toMatch(/eu +http:\/\/127\.0\.0\.1:\d+ +ok/);
    expect(JSON.parse(shown?.stdout ?? '').servers).toMatchObject([
      { server: 'eu', state: 'ok', failures: 0 },
    ]);
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${fixture.site.port}`]));
    const written = readdirSync(fixture.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    const { rows } = await fixture.database.pool.query(
      'SELECT job::text AS text FROM crawl_jobs job UNION ALL SELECT event::text FROM job_events event',
    );
    const everything = [
      ...outcomes.flatMap(({ stdout, stderr }) => [stdout, stderr]),
      ...written,
      JSON.stringify(rows),
    ];
    for (const form of forms) expect(everything.filter((text) => text.includes(form))).toEqual([]);
  }, 60_000);

  test('of HOLDFAST_PROXY: nothing is fetched without it', async () => {
    fixture.site = await startTreeSite(3);
    proxy = await startHttpProxy({ username: 'me', password });
    const env = { ...fixture.env, HOLDFAST_PROXY: `http://me:${password}@127.0.0.1:${proxy.port}` };
    const { origin } = fixture.site;
    const args = ['crawl', `${origin}/`, '--allow-private', origin, '--no-discover', '--json'];
    const { exit, stdout } = await runHoldfast(args, env, fixture.folder);
    expect([exit, JSON.parse(stdout)]).toMatchObject([0, { fetched: 3 }]);
    expect(fixture.site.connections()).toBe(proxy.asked.length);
  }, 60_000);

  test('refuses a URL as a name, without repeating it, and says what to do', async () => {
    fixture.site = await startTreeSite(1);
    const { exit, stderr } = await fixture.crawl('--proxy', `http://me:${password}@proxy.example:1`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('proxies add` creates one')]);
    expect(stderr).not.toContain(password);
    expect(fixture.site.connections()).toBe(0);
  });

  test('fails at once with a proxy that is not there', async () => {
    fixture.site = await startTreeSite(1);
    const { exit, stderr } = await fixture.crawl('--proxy', 'nowhere');
    expect([exit, stderr]).toEqual([expect.any(Number), expect.stringContaining('Proxy not found: nowhere')]);
    expect(exit).not.toBe(0);
    expect(fixture.site.connections()).toBe(0);
  }, 60_000);
});
