import { parseProxyUrl } from '@holdfast/contract';
import { describe, expect, test } from 'vitest';
import { ProxyFailure } from './proxy-endpoint.ts';
import { ProxyPool, type ProxyPoolOptions } from './proxy-pool.ts';

let now = 0;
function poolOf(size: number, options: Partial<ProxyPoolOptions> = {}): ProxyPool {
  now = 1_000;
  const servers = Array.from({ length: size }, (_, index) =>
    parseProxyUrl(`http://p${index + 1}.example:3128`),
  );
  return new ProxyPool({ name: 'eu', servers, cooldownMs: 1_000, now: () => now, ...options });
}

function use(pool: ProxyPool, host = 'a.example'): string | undefined {
  const endpoint = pool.choose(host);
  if (endpoint) pool.succeeded(endpoint, host);
  return endpoint?.name;
}

function fail(pool: ProxyPool, blame: 'proxy' | 'route' = 'proxy', host = 'a.example'): string | undefined {
  const endpoint = pool.choose(host);
  if (endpoint) pool.failed(new ProxyFailure(endpoint, blame, 'is dead'), host);
  return endpoint?.name;
}

describe('round robin', () => {
  test('takes the proxies in turn, whatever the host', () => {
    const pool = poolOf(3);
    const names = ['a', 'b', 'a', 'c', 'a', 'b'].map((host) => use(pool, `${host}.example`));
    expect(names).toEqual(['eu#1', 'eu#2', 'eu#3', 'eu#1', 'eu#2', 'eu#3']);
  });

  test('goes on without the one that rests', () => {
    const pool = poolOf(3);
    pool.learn('eu#2', 500);
    expect([1, 2, 3, 4].map(() => use(pool))).toEqual(['eu#1', 'eu#3', 'eu#1', 'eu#3']);
  });
});

describe('sticky', () => {
  const hosts = Array.from({ length: 300 }, (_, index) => `host-${index}.example`);

  test('keeps a host on its proxy and spreads the hosts', () => {
    const pool = poolOf(3, { rotation: 'sticky' });
    const first = hosts.map((host) => use(pool, host));
    expect(hosts.map((host) => use(pool, host))).toEqual(first);
    expect(hosts.map((host) => use(poolOf(3, { rotation: 'sticky' }), host))).toEqual(first);
    for (const name of ['eu#1', 'eu#2', 'eu#3'])
      expect(first.filter((one) => one === name).length).toBeGreaterThan(60);
  });

  test('moves only the hosts of a proxy that rests, and moves them back', () => {
    const pool = poolOf(3, { rotation: 'sticky' });
    const first = hosts.map((host) => use(pool, host));
    pool.learn('eu#2', 500);
    const meanwhile = hosts.map((host) => use(pool, host));
    for (const [index, name] of first.entries()) {
      if (name === 'eu#2') expect(meanwhile[index]).not.toBe('eu#2');
      else expect(meanwhile[index]).toBe(name);
    }
    now += 500;
    expect(hosts.map((host) => use(pool, host))).toEqual(first);
  });
});

describe('a proxy that fails', () => {
  test('rests after three failures in a row, and longer each time', () => {
    const pool = poolOf(1);
    for (let times = 0; times < 3; times++) expect(fail(pool)).toBe('eu');
    expect(pool.choose('a.example')).toBeUndefined();
    expect(pool.blockedUntil('any.example')).toBe(2_000);
    now = 2_000;
    expect(fail(pool)).toBe('eu');
    expect(pool.blockedUntil('any.example')).toBe(4_000);
    now = 4_000;
    fail(pool);
    expect(pool.blockedUntil('any.example')).toBe(8_000);
    now = 8_000;
    expect(use(pool)).toBe('eu');
    expect(fail(pool)).toBe('eu');
    expect(pool.blockedUntil('any.example')).toBe(0);
  });

  test('rests no longer for requests that were under way when it began to rest', () => {
    const pool = poolOf(1);
    const underWay = Array.from({ length: 8 }, () => pool.choose('a.example'));
    for (const endpoint of underWay)
      if (endpoint) pool.failed(new ProxyFailure(endpoint, 'proxy', 'is dead'), 'a.example');
    expect(pool.blockedUntil('a.example')).toBe(2_000);
  });

  test('is tried by one request when its rest is over', () => {
    const pool = poolOf(1);
    for (let times = 0; times < 3; times++) fail(pool);
    now = 2_000;
    const trial = pool.choose('a.example');
    expect(trial?.name).toBe('eu');
    expect(pool.choose('a.example')).toBeUndefined();
    if (trial) pool.succeeded(trial, 'a.example');
    expect(pool.choose('a.example')?.name).toBe('eu');
    expect(pool.choose('a.example')?.name).toBe('eu');
  });

  test('is tried again when the request that tried it never came back', () => {
    const pool = poolOf(1);
    for (let times = 0; times < 3; times++) fail(pool);
    now = 2_000;
    pool.choose('a.example');
    now += 1_001;
    expect(pool.choose('a.example')?.name).toBe('eu');
  });

  test('rests at once when it refuses the credentials', () => {
    const pool = poolOf(1);
    const endpoint = pool.choose('a.example');
    if (endpoint)
      pool.failed(
        new ProxyFailure(endpoint, 'proxy', 'refuses the password', { isUnauthorized: true }),
        'a.example',
      );
    expect(pool.blockedUntil('a.example')).toBe(2_000);
    expect(pool.trouble).toContain('refuses the password');
  });

  test('does not rest for failures among successes', () => {
    const pool = poolOf(1);
    for (let times = 0; times < 10; times++) {
      fail(pool);
      fail(pool);
      use(pool);
    }
    expect(pool.blockedUntil('a.example')).toBe(0);
  });

  test('rests for one host when it brings nothing from that one', () => {
    const pool = poolOf(2);
    for (let times = 0; times < 6; times++) fail(pool, 'route', 'dead.example');
    expect(pool.blockedUntil('dead.example')).toBe(2_000);
    expect(pool.blockedUntil('a.example')).toBe(0);
    now = 2_000;
    expect(pool.blockedUntil('dead.example')).toBe(0);
  });
});
