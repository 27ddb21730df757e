import { describe, expect, test, vi } from 'vitest';
import { ApiFixture } from '../../../../../test/api-fixture/api-fixture.ts';

const api = new ApiFixture();
const listWith = (key: string) => api.call('GET', '/api/v1/jobs', { key });
const refusal = async (key: string) => {
  const answer = await listWith(key);
  return [answer.statusCode, answer.json().error?.code, answer.json().error?.message];
};

describe('a key', () => {
  test('is made by an admin, shown once, and works', async () => {
    const made = await api.call('POST', '/api/v1/keys', {
      body: { name: 'ci', user_id: 'carla', scopes: ['jobs:read'], max_live_jobs: 3 },
    });
    expect(made.statusCode).toBe(201);
    const { secret, ...shown } = made.json();
    expect(secret).toMatch(/^hf_[A-Za-z0-9_-]{43}$/);
    expect(shown).toMatchObject({
      user_id: 'carla',
      scopes: ['jobs:read'],
      max_live_jobs: 3,
      last_used_at: null,
    });
    expect((await listWith(secret)).statusCode).toBe(200);
    const list = await api.call('GET', '/api/v1/keys?limit=1');
    expect(list.json().data[0]).toMatchObject({ id: shown.id, prefix: secret.slice(0, 11) });
    expect(list.body).not.toContain(secret);
    const { rows } = await api.pool.query('SELECT api_keys::text AS text FROM api_keys');
    expect(JSON.stringify(rows)).not.toContain(secret.slice(11));
  });

  test('may also come as X-API-Key', async () => {
    const secret = await api.key();
    const answer = await api.call('GET', '/api/v1/jobs', { key: null, headers: { 'x-api-key': secret } });
    expect(answer.statusCode).toBe(200);
  });

  test.each([
    ['none', {}, 'key_missing'],
    ['an empty one', { authorization: 'Bearer ' }, 'key_missing'],
    ['a password', { authorization: 'Basic aGY6aGY=' }, 'key_missing'],
    ['a made-up one', { authorization: `Bearer hf_${'a'.repeat(43)}` }, 'key_invalid'],
    ['something else', { authorization: 'Bearer 1234' }, 'key_invalid'],
    ['half a one', { 'x-api-key': 'hf_abc' }, 'key_invalid'],
  ])('is needed: %s is refused', async (_case, headers, code) => {
    const answer = await api.call('GET', '/api/v1/jobs', {
      key: null,
      headers: headers as Record<string, string>,
    });
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, code]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
  });

  test('stops working when it expires', async () => {
    const expired = await api.key({ name: 'short-lived', expires_at: '2999-01-01T00:00:00Z' });
    await api.pool.query(`UPDATE api_keys SET expires_at = now() WHERE name = 'short-lived'`);
    expect(await refusal(expired)).toEqual([401, 'key_invalid', expect.stringContaining('expired')]);
    const lasting = await api.key({ expires_at: '2999-01-01T00:00:00Z' });
    expect((await listWith(lasting)).statusCode).toBe(200);
  });

  test.each([
    [
      'that has expired already',
      { expires_at: '2020-01-01T00:00:00Z' },
      'expires_at',
      'must be in the future',
    ],
    [
      'of a bot that may not do what bots do',
      { bot_id: 'bot-001' },
      'bot_id',
      'must come with the scope bots',
    ],
  ])('%s is not made', async (_case, fields, field, message) => {
    const body = { name: 'dead at birth', scopes: ['jobs:read'], ...fields };
    const answer = await api.call('POST', '/api/v1/keys', { body });
    expect([answer.statusCode, answer.json().error]).toEqual([
      400,
      expect.objectContaining({ code: 'bad_request', details: [{ field, message }] }),
    ]);
    const { rows } = await api.pool.query(`SELECT FROM api_keys WHERE name = 'dead at birth'`);
    expect(rows).toEqual([]);
  });

  test.each(['bots', 'admin'])('of a bot is made with the scope %s', async (scope) => {
    const body = { name: 'bot', scopes: [scope], bot_id: 'bot-001' };
    expect((await api.call('POST', '/api/v1/keys', { body })).statusCode).toBe(201);
  });

  test('stops working within two seconds of being revoked, though it is in constant use', async () => {
    const secret = await api.key({ name: 'to be revoked' });
    expect((await listWith(secret)).statusCode).toBe(200);
    const { data } = (await api.call('GET', '/api/v1/keys?limit=1')).json();
    const revoked = await api.call('POST', `/api/v1/keys/${data[0].id}/revoke`);
    const since = performance.now();
    expect(revoked.json()).toMatchObject({ name: 'to be revoked', revoked_at: expect.any(String) });
    let lastAccepted = 0;
    await vi.waitUntil(
      async () => {
        const asked = performance.now() - since;
        if ((await listWith(secret)).statusCode === 401) return true;
        lastAccepted = asked;
        return false;
      },
      { timeout: 10_000, interval: 20 },
    );
    expect(lastAccepted).toBeLessThan(2_000);
    expect(await refusal(secret)).toEqual([401, 'key_invalid', expect.stringContaining('revoked')]);
    const again = await api.call('POST', `/api/v1/keys/${data[0].id}/revoke`);
    expect(again.json().revoked_at).toBe(revoked.json().revoked_at);
  });

  test('that does not exist cannot be revoked', async () => {
    const answer = await api.call('POST', '/api/v1/keys/01a1e1d5-de60-7d19-800b-34c5346a372f/revoke');
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'key_not_found']);
  });

  test('tells when it was last used, and writes that at most once a minute', async () => {
    const secret = await api.key({ name: 'in use' });
    const lastUsed = async () =>
      (await api.pool.query(`SELECT last_used_at, xmin FROM api_keys WHERE name = 'in use'`)).rows[0];
    await listWith(secret);
    await vi.waitUntil(async () => (await lastUsed()).last_used_at !== null, {
      timeout: 10_000,
      interval: 10,
    });
    const first = await lastUsed();
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // as long as a key is remembered
    await listWith(secret);
    await listWith(secret);
    expect(await lastUsed()).toEqual(first);
    await api.pool.query(
      `UPDATE api_keys SET last_used_at = now() - interval '2 minutes' WHERE name = 'in use'`,
    );
    const old = await lastUsed();
    await vi.waitUntil(
      async () => {
        await listWith(secret);
        return (await lastUsed()).last_used_at > old.last_used_at;
      },
      { timeout: 10_000, interval: 50 },
    );
  });
});

describe('scopes', () => {
  test.each([
    ['jobs:read', 'GET', '/api/v1/jobs', 200],
    ['jobs:read', 'POST', '/api/v1/jobs', 403],
    ['jobs:write', 'GET', '/api/v1/jobs', 200],
    ['jobs:write', 'GET', '/api/v1/keys', 403],
    ['bots', 'GET', '/api/v1/jobs', 403],
    ['operate', 'GET', '/api/v1/jobs', 200],
    ['operate', 'GET', '/api/v1/keys', 403],
    ['admin', 'GET', '/api/v1/keys', 200],
  ] as const)('%s and %s %s: %i', async (scope, method, url, status) => {
    const answer = await api.call(method, url, { key: await api.key({ scopes: [scope] }) });
    expect(answer.statusCode).toBe(status);
    if (status === 403) expect(answer.json().error.code).toBe('scope_missing');
  });
});
