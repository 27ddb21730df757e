import { beforeEach, describe, expect, test } from 'vitest';
import { ListeningApi, type RequestOptions } from '../../../../../test/api-fixture/listening-api.ts';
import { accessPaths } from '../../../../../test/queue-fixture/explain.ts';
import type { Statement } from '../../base/database/statement.ts';
import { listSourcesStatements } from '../../governor/sources/list-sources.ts';
import { openSources } from '../../governor/sources/open-sources.ts';

const api = new ListeningApi();
beforeEach(() => api.pool.query('TRUNCATE sources, workers CASCADE'));

const put = (id: string, body: unknown, options: RequestOptions = {}) =>
  api.json(`/api/v1/sources/${id}`, { method: 'PUT', body, ...options });
const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

describe('sources', () => {
  test('are made, changed, paused and resumed', async () => {
    const made = await put('shop', { hosts: ['*.Shop.Example', 'shop.example'], rate_limit_per_minute: 60 });
    expect([made.status, made.body]).toMatchObject([
      200,
      {
        id: 'shop',
        name: 'shop',
        hosts: ['*.shop.example', 'shop.example'],
        configured: true,
        rate_limit_per_minute: 60,
        paused: false,
        paused_until: null,
        breaker: 'closed',
        slowdown: 1,
        config: {},
      },
    ]);
    const changed = await api.json('/api/v1/sources/shop', {
      method: 'PATCH',
      body: { rate_limit_per_minute: null, tier: 1 },
    });
    expect(changed.body).toMatchObject({
      rate_limit_per_minute: null,
      tier: 1,
      hosts: ['*.shop.example', 'shop.example'],
    });
    const pause = (body?: unknown) => api.json('/api/v1/sources/shop/pause', { method: 'POST', body });
    expect((await pause()).body).toMatchObject({
      paused: true,
      paused_until: null,
      pause_reason: 'operator',
    });
    const until = new Date((await pause({ seconds: 600 })).body.paused_until).getTime();
    expect(Math.abs(until - Date.now() - 600_000)).toBeLessThan(30_000);
    expect((await api.json('/api/v1/sources/shop')).body).toMatchObject({ paused: true });
    const resumed = await api.json('/api/v1/sources/shop/resume', { method: 'POST' });
    expect(resumed.body).toMatchObject({ paused: false, paused_until: null, pause_reason: null });
    const disabled = await put('shop', { enabled: false });
    expect(disabled.body).toMatchObject({ enabled: false, paused: true, paused_until: null });
  });

  test('are listed by id, page by page: all, the configured, or those that let nothing through', async () => {
    await openSources(api.pool, ['a.test', 'b.test', 'c.test']);
    await put('shop', { hosts: ['shop.example'] });
    await put('off', { enabled: false });
    await api.pool.query(
      `UPDATE sources SET pause_reason = 'failures', paused_until = now() - interval '1 s' WHERE id = 'host:b.test'`,
    );
    await api.pool.query(
      `UPDATE sources SET pause_reason = 'retry_after', paused_until = now() - interval '1 s' WHERE id = 'host:c.test'`,
    );
    const all = ['host:a.test', 'host:b.test', 'host:c.test', 'off', 'shop'];
    const first = await api.json('/api/v1/sources?limit=3');
    expect([idsOf(first), first.body.next_cursor]).toEqual([all.slice(0, 3), 'host:c.test']);
    const rest = await api.json(`/api/v1/sources?limit=3&cursor=${first.body.next_cursor}`);
    expect([idsOf(rest), rest.body.next_cursor]).toEqual([all.slice(3), null]);
    expect(idsOf(await api.json('/api/v1/sources?configured=true'))).toEqual(['off', 'shop']);
    expect(idsOf(await api.json('/api/v1/sources?configured=false'))).toEqual(all.slice(0, 3));
    expect(idsOf(await api.json('/api/v1/sources?blocked=true'))).toEqual(['host:b.test', 'off']);
    expect(idsOf(await api.json('/api/v1/sources?blocked=false'))).toEqual([
      'host:a.test',
      'host:c.test',
      'shop',
    ]);
    expect((await api.json('/api/v1/sources/host:b.test')).body).toMatchObject({
      breaker: 'half_open',
      paused: false,
    });
  });

  test('that somebody configured are shown to everyone, without what the operator keeps to himself', async () => {
    await openSources(api.pool, ['a.test']);
    await put('shop', { hosts: ['shop.example'], config: { token: 'secret' } });
    const alice = await api.key();
    const listed = await api.json('/api/v1/sources', { key: alice });
    expect(listed.body.data).toMatchObject([{ id: 'shop', config: null }]);
    expect(listed.body.data).toHaveLength(1);
    expect((await api.json('/api/v1/sources?configured=false', { key: alice })).body.data).toEqual([]);
    expect((await api.json('/api/v1/sources/shop', { key: alice })).body.config).toBeNull();
    expect((await api.json('/api/v1/sources/host:a.test', { key: alice })).status).toBe(404);
    expect((await api.json('/api/v1/sources/shop')).body.config).toEqual({ token: 'secret' });
  });

  test('are changed by operators alone', async () => {
    const alice = await api.key();
    const operator = await api.key({ scopes: ['operate'] });
    expect((await put('shop', {}, { key: alice })).body.error.code).toBe('scope_missing');
    expect((await put('shop', {}, { key: operator })).status).toBe(200);
    for (const path of ['shop/pause', 'shop/resume']) {
      expect((await api.json(`/api/v1/sources/${path}`, { method: 'POST', key: alice })).status).toBe(403);
      expect((await api.json(`/api/v1/sources/${path}`, { method: 'POST', key: null })).status).toBe(401);
    }
  });

  test('that are not there are not found', async () => {
    const codes = await Promise.all([
      api.json('/api/v1/sources/none'),
      api.json('/api/v1/sources/none', { method: 'PATCH', body: {} }),
      api.json('/api/v1/sources/none/pause', { method: 'POST' }),
      api.json('/api/v1/sources/none/resume', { method: 'POST' }),
    ]);
    expect(codes.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(4).fill([404, 'source_not_found']),
    );
  });

  test.each([
    [{ concurrency: 0 }],
    [{ concurrency: 1.5 }],
    [{ tier: 11 }],
    [{ rate_limit_per_minute: 0 }],
    [{ min_delay_ms: -1 }],
    [{ reputation_weight: 2 }],
    [{ hosts: ['https://a.test/'] }],
    [{ hosts: ['a b'] }],
    [{ hosts: ['a.*.test'] }],
    [{ hosts: 'a.test' }],
    [{ hosts: [''] }],
    [{ name: '' }],
    [{ name: 'x\0' }],
    [{ config: [] }],
    [{ config: { big: 'x'.repeat(100_001) } }],
    [{ what: 1 }],
    [[]],
    ['{'],
  ])('refuse the settings %j', async (body) => {
    const answer = await put('shop', body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'bad_request']);
  });

  test('refuse ids, pauses and filters that are none, and a host that belongs to another', async () => {
    expect((await put('a%20b', {})).status).toBe(400);
    expect((await put('x'.repeat(301), {})).status).toBe(400);
    await put('shop', { hosts: ['shop.example'] });
    expect((await put('other', { hosts: ['shop.example'] })).body.error.message).toContain('source shop');
    for (const body of [{ seconds: 0 }, { seconds: 'x' }, { more: 1 }]) {
      expect((await api.json('/api/v1/sources/shop/pause', { method: 'POST', body })).status).toBe(400);
    }
    for (const query of ['configured=maybe', 'limit=0', 'cursor=%20', 'odd=1']) {
      expect([query, (await api.json(`/api/v1/sources?${query}`)).status]).toEqual([query, 400]);
    }
  });

  test('are found among a hundred thousand hosts by their own indexes', async () => {
    const client = await api.pool.connect();
    await client.query(
      `INSERT INTO sources (id, name) SELECT 'host:' || n, n FROM generate_series(1, 100000) AS n`,
    );
    await client.query('ANALYZE sources');
    const pathOf = (way: keyof typeof listSourcesStatements) =>
      accessPaths(client, listSourcesStatements[way] as Statement<never>, [null, null, '', 50], {
        table: 'sources',
        generic: true,
      });
    expect(await pathOf('all')).toEqual(['sources_pkey']);
    expect(await pathOf('configured')).toEqual(['sources_configured']);
    expect(await pathOf('blocked')).toEqual(['sources_blocked']);
    client.release(true);
  });
});

describe('workers', () => {
  test('are listed with their state; on what machine they run is for operators', async () => {
    await api.pool.query(
      `INSERT INTO workers (id, host, boot_id, pid, process_start, version, max_jobs, running_jobs, draining, last_seen)
       VALUES ('a', 'm1', 'b', 1, 's', '1', 4, 2, false, now()), ('b', 'm1', 'b', 2, 's', '1', 4, 0, true, now()),
         ('c', 'm2', 'b', 3, 's', '1', 4, 1, false, now() - interval '31 s')`,
    );
    const first = await api.json('/api/v1/workers?limit=2');
    expect(first.body).toMatchObject({
      data: [
        { id: 'a', state: 'alive', host: 'm1', pid: 1, running_jobs: 2, max_jobs: 4 },
        { id: 'b', state: 'draining' },
      ],
      next_cursor: 'b',
    });
    expect((await api.json('/api/v1/workers?limit=2&cursor=b')).body).toMatchObject({
      data: [{ id: 'c', state: 'silent' }],
      next_cursor: null,
    });
    expect(idsOf(await api.json('/api/v1/workers?silent=true'))).toEqual(['c']);
    expect(idsOf(await api.json('/api/v1/workers?silent=false'))).toEqual(['a', 'b']);
    const alice = await api.key();
    expect((await api.json('/api/v1/workers', { key: alice })).body.data[0]).toMatchObject({
      host: null,
      pid: null,
    });
    expect((await api.json('/api/v1/workers', { key: null })).status).toBe(401);
    for (const query of ['silent=1', 'limit=x', 'odd=1']) {
      expect((await api.json(`/api/v1/workers?${query}`)).status).toBe(400);
    }
  });
});
