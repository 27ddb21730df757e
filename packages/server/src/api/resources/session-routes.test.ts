import { describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';
import { makeLoginLink } from '../../queue/access/sessions.ts';

const api = new ApiFixture();
const home = { host: 'console.test', origin: 'http://console.test' };

async function signIn(body: object) {
  const answer = await api.call('POST', '/api/session', { key: null, body, headers: home });
  const cookie = String(answer.headers['set-cookie']);
  return { answer, cookie: cookie.split(';')[0] ?? '', setCookie: cookie };
}

describe('signing in to the console', () => {
  test('gives a cookie that no script reads and no other site sends', async () => {
    const { answer, setCookie } = await signIn({ key: await api.key() });
    expect(answer.statusCode).toBe(201);
    expect(setCookie).toMatch(
      /^holdfast_session=[\w-]{43}; Path=\/; Max-Age=4\d{4}; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.json()).toMatchObject({ user_id: 'alice', scopes: ['jobs:read', 'jobs:write'] });
  });

  test('reads with the cookie, and writes with it and the token of the page', async () => {
    const { answer, cookie } = await signIn({ key: await api.key() });
    const csrf = answer.json().csrf_token;
    expect((await api.call('GET', '/api/v1/jobs', { key: null, headers: { cookie } })).statusCode).toBe(200);
    const body = { kind: 'crawl', payload: { url: 'https://example.com/' } };
    const write = (headers: Record<string, string>) =>
      api.call('POST', '/api/v1/jobs', { key: null, body, headers: { cookie, ...headers } });
    expect((await write({ ...home, 'x-csrf-token': csrf })).statusCode).toBe(201);
    expect((await write(home)).json()).toMatchObject({ error: { code: 'csrf_refused' } });
    expect((await write({ ...home, 'x-csrf-token': `${csrf.slice(0, -1)}!` })).statusCode).toBe(403);
    const foreign = { host: 'console.test', origin: 'http://evil.test', 'x-csrf-token': csrf };
    expect((await write(foreign)).statusCode).toBe(403);
  });

  test('a request that brings a key ignores the cookie', async () => {
    const { cookie } = await signIn({ key: await api.key() });
    const answer = await api.call('GET', '/api/v1/jobs', { key: 'hf_wrong', headers: { cookie } });
    expect(answer.json()).toMatchObject({ error: { code: 'key_invalid' } });
  });

  test('ends at once with signing out, and with the key', async () => {
    const { answer, cookie } = await signIn({ key: await api.key() });
    const out = await api.call('DELETE', '/api/session', {
      key: null,
      headers: { ...home, cookie, 'x-csrf-token': answer.json().csrf_token },
    });
    expect(out.statusCode).toBe(204);
    expect((await api.call('GET', '/api/session', { key: null, headers: { cookie } })).statusCode).toBe(401);

    const other = await signIn({ key: await api.key({ user_id: 'bob' }) });
    await api.pool.query(`UPDATE api_keys SET revoked_at = now() WHERE user_id = 'bob'`);
    const refused = await api.call('GET', '/api/v1/jobs', { key: null, headers: { cookie: other.cookie } });
    expect(refused.json()).toMatchObject({ error: { code: 'session_ended' } });
  });

  test('ends when its time is over', async () => {
    const { cookie } = await signIn({ key: await api.key() });
    await api.pool.query(`UPDATE sessions SET expires_at = now() - interval '1 second'`);
    expect((await api.call('GET', '/api/v1/jobs', { key: null, headers: { cookie } })).statusCode).toBe(401);
  });

  test('a link signs in once', async () => {
    const link = await makeLoginLink(api.pool);
    const first = await signIn({ link });
    expect(first.answer.json()).toMatchObject({ scopes: ['admin'] });
    expect((await signIn({ link })).answer.json()).toMatchObject({ error: { code: 'link_used' } });
  });

  test('refuses a key that is none, and a form from another site', async () => {
    expect((await signIn({ key: 'hf_nonsense' })).answer.statusCode).toBe(401);
    const headers = { host: 'console.test', origin: 'http://evil.test' };
    const foreign = await api.call('POST', '/api/session', {
      key: null,
      body: { key: await api.key() },
      headers,
    });
    expect(foreign.statusCode).toBe(403);
  });
});
