import { beforeEach, describe, expect, test } from 'vitest';
import { GovernorFixture } from '../pacing/testing/governor-fixture.ts';
import { loadRobots, storeRobots, storeRobotsFailure } from './robots-cache.ts';

const fixture = new GovernorFixture();
const origin = 'https://robots.test';
const rules = { groups: [{ agents: ['*'], disallow: ['/private'] }] };
const refusal = { groups: [{ agents: ['*'], disallow: ['/'] }], failure: 'HTTP 503' };

const store = (outcome: string, ttlSeconds = 86_400) =>
  storeRobots(fixture.pool, { origin, outcome, rules, ttlSeconds });
const fail = () =>
  storeRobotsFailure(fixture.pool, { origin, rules: refusal, ttlSeconds: 300, copyDays: 30 });
const pass = (days: number) =>
  fixture.pool.query(
    `UPDATE robots_cache SET fetched_at = fetched_at - make_interval(days => $1),
       expires_at = expires_at - make_interval(days => $1)`,
    [days],
  );
const cached = async () => (await loadRobots(fixture.pool, [origin, 'http://robots.test']))[0];

beforeEach(async () => {
  await fixture.pool.query('TRUNCATE robots_cache');
});

describe('the cache of robots.txt', () => {
  test('gives back what was stored, per origin', async () => {
    await store('parse');
    const found = await cached();
    expect(found).toMatchObject({ origin, outcome: 'parse', rules });
    expect(found?.expires_in_ms).toBeGreaterThan(86_000_000);
    expect(found?.expires_in_ms).toBeLessThanOrEqual(86_400_000);
  });

  test('forgets what has expired', async () => {
    await store('parse', 0);
    expect(await cached()).toBeUndefined();
  });

  test('keeps a failure for minutes, and an answer replaces it', async () => {
    expect(await fail()).toMatchObject({ outcome: 'disallow_all', rules: refusal, copied_at: null });
    expect((await cached())?.expires_in_ms).toBeLessThanOrEqual(300_000);
    await store('allow_all');
    expect(await cached()).toMatchObject({ outcome: 'allow_all', rules });
  });
});

describe('a failure', () => {
  test('keeps the rules that were read last for 30 days, and is asked again in minutes', async () => {
    await store('parse');
    for (const days of [2, 27]) {
      await pass(days);
      expect(await fail()).toMatchObject({ outcome: 'parse', rules, copied_at: expect.any(Date) });
      const { expires_in_ms } = (await cached()) ?? {};
      expect(expires_in_ms).toBeGreaterThan(200_000);
      expect(expires_in_ms).toBeLessThanOrEqual(300_000);
    }
    await pass(2);
    expect(await fail()).toMatchObject({ outcome: 'disallow_all', rules: refusal });
    // Once they are given up, they are gone: the failure is not their copy.
    expect(await fail()).toMatchObject({ outcome: 'disallow_all', rules: refusal });
  });

  test('keeps nothing of a robots.txt that was absent: there is no copy of it', async () => {
    await store('allow_all');
    await pass(2);
    expect(await fail()).toMatchObject({ outcome: 'disallow_all', rules: refusal });
  });

  test('does not shorten what another worker has just read', async () => {
    for (const outcome of ['parse', 'allow_all']) {
      await store(outcome);
      expect(await fail()).toMatchObject({ outcome, rules });
      expect((await cached())?.expires_in_ms).toBeGreaterThan(86_000_000);
    }
  });
});
