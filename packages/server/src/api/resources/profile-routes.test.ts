import { beforeEach, describe, expect, test } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';

const api = new ApiFixture();
const path = '/api/v1/profiles';
const planted = 'planted-5c1d';
const origins = ['https://example.com'];
let alice: string;
let bob: string;
beforeEach(async () => {
  await api.pool.query('DELETE FROM profiles');
  alice ??= await api.key();
  bob ??= await api.key({ user_id: 'bob' });
});
const create = (body: object, key = alice) => api.call('POST', path, { key, body });
const everything = {
  name: 'all',
  origins: ['https://Example.com:443', 'https://*.example.com'],
  headers: { 'X-Api-Key': planted },
  basic_auth: { username: 'me', password: planted },
  cookies: [{ name: 'a', value: planted, domain: '.example.com', expires: 4_102_444_800 }],
  cookies_txt: `# Netscape HTTP Cookie File\n#HttpOnly_example.com\tFALSE\t/\tTRUE\t0\tb\t${planted}\n`,
  storage_state: {
    cookies: [{ name: 'c', value: planted, domain: 'example.com', path: '/', expires: -1, sameSite: 'Lax' }],
    origins: [{ origin: 'https://example.com', localStorage: [{ name: 'token', value: planted }] }],
  },
};

describe('a profile over HTTP', () => {
  test('says what it holds, and no answer has a value of it', async () => {
    const created = await create(everything);
    expect(created.statusCode).toBe(201);
    expect(created.json()).toMatchObject({
      name: 'all',
      user_id: 'alice',
      origins: ['https://example.com', 'https://*.example.com'],
      headers: ['x-api-key'],
      auth: 'basic',
      cookies: [
        { name: 'a', domain: 'example.com', expires: 4_102_444_800 },
        { name: 'c', domain: 'example.com', expires: null },
        { name: 'b', domain: 'example.com', expires: null },
      ],
    });
    const { name, ...values } = everything;
    const answers = [
      created,
      await api.call('GET', path, { key: alice }),
      await api.call('GET', `${path}/all`, { key: alice }),
      await api.call('PUT', `${path}/all`, { key: alice, body: values }),
      await create(everything),
      await api.call('DELETE', `${path}/all`, { key: alice }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 200, 200, 200, 409, 200]);
    for (const answer of answers) expect(answer.body).not.toContain(planted);
    expect((await api.pool.query('SELECT count(*)::int AS n FROM secrets')).rows[0].n).toBe(0);
    expect(name).toBe('all');
  });

  test.each<[string, object, string]>([
    ['nothing', { name: 'x', origins }, 'must hold headers'],
    [
      'two logins',
      { name: 'x', origins, bearer_token: planted, headers: { Authorization: planted } },
      'only one of',
    ],
    ['no origin', { name: 'x', origins: [`example.com`], bearer_token: planted }, 'must be an origin'],
    ['a header of the crawler', { name: 'x', origins, headers: { Host: planted } }, 'the crawler sets it'],
    ['a torn file', { name: 'x', origins, cookies_txt: `a\t${planted}` }, 'line 1 of the cookies.txt file'],
    ['a value of two lines', { name: 'x', origins, headers: { 'X-Key': `${planted}\nx` } }, 'visible ASCII'],
  ])('is refused with %s, without repeating a value', async (_, body, message) => {
    const answer = await create(body);
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining(message)]);
    expect(answer.body).not.toContain(planted);
  });

  test('belongs to its owner alone, whatever the rights of others', async () => {
    await create({ name: 'mine', origins, bearer_token: planted });
    const admin = await api.key({ user_id: 'root', scopes: ['admin'] });
    for (const key of [bob, admin]) {
      expect((await api.call('GET', path, { key })).json().data).toEqual([]);
      expect((await api.call('GET', `${path}/mine`, { key })).statusCode).toBe(404);
      expect((await api.call('DELETE', `${path}/mine`, { key })).statusCode).toBe(404);
      const body = { kind: 'crawl', payload: { url: 'https://example.com/', profile: 'mine' } };
      expect((await api.call('POST', '/api/v1/jobs', { key, body })).json().error.code).toBe(
        'profile_not_found',
      );
    }
  });
});

describe('secrets of a request for a job', () => {
  const url = 'https://example.com/';
  const secret = { headers: { 'X-Api-Key': planted, 'Accept-Language': 'de' }, bearer_token: planted };

  test.each<[string, string, object]>([
    ['a crawl', '/api/v1/jobs', { kind: 'crawl', payload: { url, ...secret } }],
    ['a visit', '/api/v1/jobs', { kind: 'visit', payload: { url, ...secret } }],
    ['a policy', '/api/v1/policies', { kind: 'crawl', url, options: secret }],
  ])('of %s are in no payload', async (_, route, body) => {
    const answer = await api.call('POST', route, { key: alice, body });
    expect([answer.statusCode, answer.body]).toEqual([201, expect.not.stringContaining(planted)]);
    const made = answer.json().payload ?? answer.json().options;
    expect(made).toMatchObject({ headers: { 'Accept-Language': 'de' }, unnamed_profile: expect.any(String) });
    for (const table of ['crawl_jobs', 'crawl_policies', 'job_events', 'profiles'])
      expect(
        (await api.pool.query(`SELECT count(*)::int AS n FROM ${table} t WHERE t::text LIKE '%${planted}%'`))
          .rows,
      ).toEqual([{ n: 0 }]);
    expect((await api.pool.query('SELECT origins, name FROM profiles')).rows).toEqual([
      { origins: ['https://example.com'], name: null },
    ]);
    await api.pool.query('DELETE FROM crawl_policies');
  });

  test('are not for visits that bots make', async () => {
    const body = { kind: 'visit', executor: 'bot', payload: { url, bearer_token: planted } };
    const answer = await api.call('POST', '/api/v1/jobs', { key: alice, body });
    expect([answer.statusCode, answer.body]).toEqual([400, expect.not.stringContaining(planted)]);
  });
});
