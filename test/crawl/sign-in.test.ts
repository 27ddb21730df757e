import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileRequest } from '@holdfast/contract';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { SecretKeys } from '../../packages/server/src/base/secrets/secret-keys.ts';
import { SecretStore } from '../../packages/server/src/base/secrets/secret-store.ts';
import { createProfile, replaceProfile } from '../../packages/server/src/queue/profiles/profiles.ts';
import { runHoldfast } from '../command-line/run-holdfast.ts';
import { checkInvariants } from '../crawl-fixture/check-invariants.ts';
import { CrawlFixture } from '../crawl-fixture/crawl-fixture.ts';
import { TestSite } from '../crawl-fixture/test-site.ts';

const secretKey = randomBytes(32).toString('base64');
const store = new SecretStore(new SecretKeys({ secretKey: [secretKey], dataFolder: '' }));
/** In every secret of these tests; nothing of it may be found anywhere. */
const planted = `planted${randomBytes(6).toString('hex')}`;

const html = (response: ServerResponse, text: string) =>
  response.setHeader('content-type', 'text/html').end(text);
const loginPage =
  '<title>Log in</title><h1>Log in</h1><form action="/login"><input name="user"><input type="password" name="pw"></form>';
const members = 40;
const member = (n: number) =>
  `<title>Member page ${n}</title><main><h1>Page ${n}</h1><p>Only for members, number ${n}.</p>${[
    2 * n + 1,
    2 * n + 2,
  ]
    .filter((link) => link < members)
    .map((link) => `<a href="/private/${link}">${link}</a>`)
    .join(' ')} <a href="/logout">Log out</a></main>`;

/** A session whose cookie is replaced with every third answer; a replaced one is good for a while, counted in requests. */
const goodFor = 24;
class RotatingSession {
  current = `${planted}-0`;
  #asked = 0;
  #requests = 0;
  #rotations = 0;
  readonly #goodUntil = new Map<string, number>();

  get rotations(): number {
    return this.#rotations;
  }

  takes(cookie: string | undefined): boolean {
    const token = /\bsid=([^;]+)/.exec(cookie ?? '')?.[1] ?? '';
    this.#requests++;
    return token === this.current || (this.#goodUntil.get(token) ?? 0) > this.#requests;
  }

  renew(response: ServerResponse): void {
    if (++this.#asked % 3 !== 0) return;
    this.#goodUntil.set(this.current, this.#requests + goodFor);
    this.current = `${planted}-${++this.#rotations}`;
    response.setHeader('set-cookie', `sid=${this.current}; Path=/; HttpOnly`);
  }

  end(): void {
    this.current = `${planted}-ended`;
    this.#goodUntil.clear();
  }
}

let session = new RotatingSession();
let signsOut = 0;
/** What the site answers to whoever is not signed in. */
let refuse: (response: ServerResponse, path: string) => void = (response) => html(response, loginPage);
const seen: IncomingMessage['headers'][] = [];

function answer(path: string, response: ServerResponse, request: IncomingMessage): boolean {
  seen.push(request.headers);
  if (path === '/logout') signsOut++;
  if (path === '/login') html(response, loginPage);
  else if (path.startsWith('/box/'))
    html(
      response,
      `<title>Box ${path}</title><p>About ${path}.</p><a href="/box/${Number(path.slice(5)) + 1}">next</a>${Number(path.slice(5)) < 12 ? '' : '<!--'}<form action="/login"><input name="user"><input type="password" name="pw"></form>`,
    );
  else if (path === '/leave') response.writeHead(302, { location: `${elsewhere.origin}/landing` }).end();
  else if (path.startsWith('/private/')) {
    if (session.takes(request.headers.cookie)) {
      session.renew(response);
      html(response, member(Number(path.slice('/private/'.length))));
    } else refuse(response, path);
  } else return false;
  return true;
}

const elsewhereSeen: IncomingMessage['headers'][] = [];
const elsewhere = await TestSite.start({
  pages: 0,
  answer: (_path, response, request) => {
    elsewhereSeen.push(request.headers);
    html(response, '<title>Elsewhere</title><p>Another origin of the same host.</p>');
    return true;
  },
});
afterAll(() => elsewhere.stop());
const fixture = new CrawlFixture(
  { pages: 0, answer },
  { alsoAllowed: elsewhere.origin, env: { HOLDFAST_SECRET_KEY: secretKey } },
);

const cookie = (value: string) => ({ name: 'sid', value, domain: '127.0.0.1', path: '/' });
const profile = (name: string, fields: Partial<ProfileRequest> = {}) => ({
  name,
  user_id: 'local',
  origins: [fixture.site.origin],
  ...fields,
});
const options = { discover: false };
const fetched = async (id: string) =>
  (
    await fixture.pool.query<{ url: string; title: string }>(
      `SELECT url, title FROM crawl_pages WHERE job_id = $1 AND outcome = 'fetched'`,
      [id],
    )
  ).rows;

describe('a site whose session cookie is renewed all the time', { shuffle: false }, () => {
  test('is crawled by two runners with one profile, without a page lost or a sign-in page stored', async () => {
    await createProfile(fixture.pool, store, profile('members', { cookies: [cookie(session.current)] }));
    const ids: string[] = [];
    for (const user_agent of ['one/1', 'two/1'])
      ids.push(
        (await fixture.crawl('/private/0', { ...options, profile: 'members', user_agent, delay_ms: 30 })).id,
      );
    for (const id of ids) {
      await fixture.reaches(id, 'completed');
      const pages = await fetched(id);
      expect(pages).toHaveLength(members);
      expect(pages.filter(({ title }) => !title.startsWith('Member page'))).toEqual([]);
      await checkInvariants(fixture.pool, id);
    }
    expect(session.rotations).toBeGreaterThan(10);
    expect(signsOut).toBe(0);
  });

  test('leaves no secret in the database, the log, or what commands print', async () => {
    const { rows: tables } = await fixture.pool.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()`,
    );
    const hex = Buffer.from(planted).toString('hex');
    for (const { name } of tables) {
      const { rows } = await fixture.pool.query(
        `SELECT count(*)::int AS n FROM ${name} t WHERE t::text LIKE ANY (ARRAY['%${planted}%', '%${hex}%'])`,
      );
      expect([name, rows[0].n]).toEqual([name, 0]);
    }
    expect(JSON.stringify(fixture.worker?.lines)).not.toContain(planted);
    const { rows: jobs } = await fixture.pool.query<{ id: string }>('SELECT id FROM crawl_jobs');
    const env = { DATABASE_URL: fixture.databaseUrl, HOLDFAST_SECRET_KEY: secretKey };
    for (const args of [
      ['profiles', 'list', '--json'],
      ['profiles', 'show', 'members', '--json'],
      ['jobs', 'show', jobs[0]?.id ?? '', '--json'],
      ['export', jobs[0]?.id ?? '', '--format', 'jsonl', '--out', '-'],
    ]) {
      const { exit, stdout, stderr } = await runHoldfast(args, env);
      expect([args, exit, `${stdout}${stderr}`.includes(planted)]).toEqual([args, 0, false]);
    }
  });
});

describe('a profile', () => {
  test('gives nothing to another origin, though a redirect leads there and the host is the same', async () => {
    await createProfile(
      fixture.pool,
      store,
      profile('strict', {
        cookies: [cookie(planted)],
        headers: { 'X-Api-Key': planted },
        basic_auth: { username: 'me', password: planted },
      }),
    );
    const { id } = await fixture.crawl('/leave', { ...options, scope: 'any', profile: 'strict' });
    await fixture.reaches(id, 'completed');
    const own = seen.find((headers) => headers['x-api-key'] === planted);
    expect(own).toMatchObject({ cookie: `sid=${planted}` });
    expect(own?.authorization).toBe(`Basic ${Buffer.from(`me:${planted}`).toString('base64')}`);
    expect(elsewhereSeen.length).toBeGreaterThan(0);
    for (const { cookie: sent, authorization, 'x-api-key': key } of elsewhereSeen)
      expect([sent, authorization, key]).toEqual([undefined, undefined, undefined]);
  });

  test('of another owner is not found', async () => {
    await createProfile(fixture.pool, store, {
      ...profile('theirs', { bearer_token: planted }),
      user_id: 'bob',
    });
    const job = await fixture.crawled('/private/0', { ...options, profile: 'theirs' }, { max_retries: 0 });
    expect(job).toMatchObject({ status: 'failed', error_code: 'profile_not_found' });
  });

  test('does not take an ordinary login box for a sign-in page', async () => {
    await createProfile(fixture.pool, store, profile('box', { bearer_token: planted }));
    const job = await fixture.crawled('/box/1', { ...options, max_pages: 12, profile: 'box' });
    expect(job.status).toBe('completed');
    expect(await fetched(job.id)).toHaveLength(12);
  });
});

describe('a sign-in that has run out', () => {
  test.each<[string, typeof refuse]>([
    ['401', (response) => response.writeHead(401).end('Who are you?')],
    ['a redirect', (response, path) => response.writeHead(302, { location: `/login?next=${path}` }).end()],
    ['a sign-in page', (response) => html(response, loginPage)],
  ])('by %s is reported, and the crawl goes on with new values', async (how, answers) => {
    refuse = answers;
    session = new RotatingSession();
    const name = `out ${how}`;
    await createProfile(fixture.pool, store, profile(name, { cookies: [cookie(session.current)] }));
    const job = await fixture.crawl(
      '/private/0',
      { ...options, profile: name, delay_ms: 20 },
      { max_retries: 0 },
    );
    await vi.waitUntil(() => session.rotations >= 3, { timeout: 30_000, interval: 5 });
    session.end();
    const failed = await fixture.reaches(job.id, 'failed');
    expect(failed).toMatchObject({ error_code: 'sign_in_expired' });
    expect((await fetched(job.id)).filter(({ title }) => !title.startsWith('Member page'))).toEqual([]);
    await checkInvariants(fixture.pool, job.id);
    await replaceProfile(fixture.pool, store, profile(name, { cookies: [cookie(session.current)] }));
    const env = { DATABASE_URL: fixture.databaseUrl };
    expect((await runHoldfast(['jobs', 'retry', job.id], env)).exit).toBe(0);
    await fixture.reaches(job.id, 'completed');
    expect(await fetched(job.id)).toHaveLength(members);
    await checkInvariants(fixture.pool, job.id);
  });
});
