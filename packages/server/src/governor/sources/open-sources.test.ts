import { describe, expect, test } from 'vitest';
import { GovernorFixture } from '../pacing/testing/governor-fixture.ts';
import { configureSource } from './configure-source.ts';
import { listSources } from './list-sources.ts';
import { hostPatterns, openSources } from './open-sources.ts';
import { pruneSources } from './prune-sources.ts';

const fixture = new GovernorFixture();
const idOf = async (host: string) => (await openSources(fixture.pool, [host]))[0]?.source_id;

describe('the source of a host', () => {
  test('is made on first use: 8 at a time, no pace', async () => {
    const host = fixture.newHost();
    const [state] = await openSources(fixture.pool, [host]);
    expect(state).toMatchObject({ host, source_id: `host:${host}`, concurrency: 8, interval_ms: 0 });
    expect(await fixture.sourceOf(host)).toMatchObject({ name: host, hosts: [host], configured: false });
  });

  test('is one row, however many workers meet the host at once', async () => {
    const hosts = Array.from({ length: 40 }, () => fixture.newHost());
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, worker) =>
        openSources(fixture.pool, worker % 2 ? hosts : hosts.toReversed()),
      ),
    );
    for (const opened of all) expect(opened.map((source) => source.host).sort()).toEqual(hosts.toSorted());
    const { rows } = await fixture.pool.query(
      `SELECT count(*) AS count FROM sources JOIN source_slots ON source_id = id JOIN source_shares USING (source_id)
       WHERE hosts && $1`,
      [hosts],
    );
    expect(rows[0].count).toBe(40);
  });

  test('is found by a worker that ran into another one making it', async () => {
    const host = fixture.newHost();
    const maker = await fixture.pool.connect();
    await maker.query('BEGIN');
    await openSources(maker, [host]);
    const found = openSources(fixture.pool, [host]);
    await fixture.waiting();
    await maker.query('COMMIT');
    maker.release();
    expect(await found).toMatchObject([{ host, source_id: `host:${host}` }]);
  });

  test('is the configured one with the closest pattern, even if the host was met before', async () => {
    expect(await idOf('www.shop.test')).toBe('host:www.shop.test');
    await configureSource(fixture.pool, 'shops', { hosts: ['*.shop.test'] });
    expect(await idOf('www.shop.test')).toBe('shops');
    await configureSource(fixture.pool, 'api', { hosts: ['api.shop.test', '*.API.shop.test'] });
    expect(await idOf('api.shop.test')).toBe('api');
    expect(await idOf('v2.api.shop.test:8443')).toBe('api');
    expect(await idOf('shop.test')).toBe('host:shop.test');
  });

  test('can be configured in place, and keeps what is not mentioned', async () => {
    const host = fixture.newHost();
    const id = (await idOf(host)) ?? '';
    await configureSource(fixture.pool, id, { rate_limit_per_minute: 30, tier: 2 });
    const source = await configureSource(fixture.pool, id, { concurrency: 3 });
    expect(source).toMatchObject({ configured: true, hosts: [host], rate_limit_per_minute: 30, tier: 2 });
    expect(await configureSource(fixture.pool, id, { rate_limit_per_minute: null })).toMatchObject({
      rate_limit_per_minute: null,
      concurrency: 3,
    });
    expect(await idOf(host)).toBe(id);
  });

  test('belongs to one configured source only', async () => {
    const host = fixture.newHost();
    await configureSource(fixture.pool, 'first', { hosts: [fixture.newHost(), host] });
    await expect(
      configureSource(fixture.pool, 'second', { hosts: [fixture.newHost(), host] }),
    ).rejects.toMatchObject({
      message: expect.stringContaining(`${host} belongs to source first`),
      hint: expect.stringContaining('Set the limits of first instead'),
    });
    expect(await listSources(fixture.pool, { id: 'second' })).toEqual([]);
  });

  test('refuses settings that make no sense, and says which', async () => {
    for (const settings of [{ hosts: ['http://a/'] }, { concurrency: 0 }, { tier: 11 }, { name: '' }]) {
      await expect(configureSource(fixture.pool, 'odd', settings)).rejects.toThrow(
        Object.keys(settings)[0] ?? '',
      );
    }
  });

  test('is forgotten after a long time if nobody configured it', async () => {
    const host = fixture.newHost();
    await idOf(host);
    await configureSource(fixture.pool, `kept-${host}`, {});
    await fixture.pool.query(
      `UPDATE sources SET created_at = now() - interval '31 days' WHERE id LIKE '%' || $1`,
      [host],
    );
    expect(await pruneSources(fixture.pool, 30)).toBe(1);
    expect(await listSources(fixture.pool, { id: `host:${host}` })).toEqual([]);
    expect(await listSources(fixture.pool, { id: `kept-${host}` })).toHaveLength(1);
  });
});

describe('the patterns of a host', () => {
  test('go from the most particular to the widest', () => {
    expect(hostPatterns('a.b.org:81')).toEqual(['a.b.org:81', 'a.b.org', '*.b.org', '*.org']);
    expect(hostPatterns('localhost')).toEqual(['localhost']);
  });

  test('of an address are the address alone', () => {
    expect(hostPatterns('127.0.0.1:8080')).toEqual(['127.0.0.1:8080', '127.0.0.1']);
    expect(hostPatterns('[::1]:80')).toEqual(['[::1]:80', '[::1]']);
    expect(hostPatterns('[::1]')).toEqual(['[::1]']);
  });
});
