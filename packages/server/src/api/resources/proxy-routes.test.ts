import type { KeyScope } from '@holdfast/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { ListeningApi } from '../../../../../test/api-fixture/listening-api.ts';

const api = new ListeningApi();
const url = 'http://someone:planted-secret@proxy.example:3128';

afterEach(() =>
  api.pool.query(
    'UPDATE sources SET proxy = NULL; DELETE FROM proxies; DELETE FROM proxy_health; DELETE FROM secrets',
  ),
);

async function call(
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  scope: KeyScope = 'operate',
) {
  const key = await api.key({ scopes: [scope] });
  return api.json(`/api/v1${path}`, { method, key, ...(body && { body }) });
}

describe('a proxy over HTTP', () => {
  test('is created, changed, listed and deleted, and its credentials are never shown', async () => {
    const created = await call('PUT', '/proxies/eu', { urls: [url, 'socks5://two.example:1080'] });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({
      name: 'eu',
      rotation: 'round_robin',
      resolves_names: false,
      servers: [
        { server: 'eu#1', address: 'http://proxy.example:3128', state: 'unused', requests: 0 },
        { server: 'eu#2', address: 'socks5://two.example:1080' },
      ],
    });
    const changed = await call('PUT', '/proxies/eu', { rotation: 'sticky' });
    expect(changed.body).toMatchObject({ rotation: 'sticky', servers: [{ server: 'eu#1' }, {}] });
    const shown = await call('GET', '/proxies/eu');
    const listed = await call('GET', '/proxies');
    expect(listed.body.data).toEqual([shown.body]);
    const deleted = await call('DELETE', '/proxies/eu');
    expect((await call('GET', '/proxies/eu')).body.error.code).toBe('proxy_not_found');
    for (const { body } of [created, changed, shown, listed, deleted])
      expect(JSON.stringify(body)).not.toMatch(/someone|planted/);
    expect((await api.pool.query('SELECT FROM secrets')).rowCount).toBe(0);
  });

  test('is for operators', async () => {
    for (const [method, path] of [
      ['GET', '/proxies'],
      ['PUT', '/proxies/eu'],
      ['DELETE', '/proxies/eu'],
    ] as const)
      expect(
        (await call(method, path, method === 'PUT' ? { urls: [url] } : undefined, 'jobs:write')).status,
      ).toBe(403);
  });

  test.each([
    ['http://127.0.0.1:5432', 'address_forbidden'],
    ['socks5://169.254.169.254:80', 'address_forbidden'],
    ['http://user:planted-secret@localhost:8080', 'address_forbidden'],
    ['http://[::ffff:10.0.0.1]:8080', 'address_forbidden'],
    ['ftp://planted-secret@proxy.example', 'bad_request'],
    ['http://me:planted-secret@proxy.example/path', 'bad_request'],
    ['http://me:planted-secret%zz@proxy.example', 'bad_request'],
  ])('cannot be %s', async (bad, error) => {
    const { body } = await call('PUT', '/proxies/eu', { urls: [bad] });
    expect(body.error.code).toBe(error);
    expect(JSON.stringify(body)).not.toContain('planted');
    expect((await api.pool.query('SELECT FROM proxies')).rowCount).toBe(0);
  });

  test('that the command line allowed in a private network loses that with other servers', async () => {
    await call('PUT', '/proxies/eu', { urls: [url] });
    await api.pool.query('UPDATE proxies SET may_be_private = true');
    await call('PUT', '/proxies/eu', { rotation: 'sticky' });
    const { rows: kept } = await api.pool.query('SELECT may_be_private FROM proxies');
    expect(kept).toEqual([{ may_be_private: true }]);
    await call('PUT', '/proxies/eu', { urls: ['http://other.example:1'] });
    const { rows: lost } = await api.pool.query('SELECT may_be_private FROM proxies');
    expect(lost).toEqual([{ may_be_private: false }]);
  });

  test('is not deleted while a source uses it', async () => {
    await call('PUT', '/proxies/eu', { urls: [url] });
    await call('PUT', '/sources/shop', { hosts: ['shop.example'], proxy: 'eu' });
    expect((await call('DELETE', '/proxies/eu')).body).toMatchObject({ error: { code: 'proxy_in_use' } });
    expect((await call('GET', '/proxies/eu')).body.sources).toEqual(['shop']);
    await call('PUT', '/sources/shop', { proxy: null });
    expect((await call('DELETE', '/proxies/eu')).status).toBe(200);
  });

  test('needs URLs to begin with', async () => {
    expect((await call('PUT', '/proxies/eu', { rotation: 'sticky' })).body.error.code).toBe(
      'proxy_not_found',
    );
    expect((await call('PUT', '/proxies/direct', { urls: [url] })).status).toBe(400);
  });
});
