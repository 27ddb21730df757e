import { describe, expect, test } from 'vitest';
import { loadRobots } from './load-robots.ts';
import { storeRobots } from './store-robots.ts';
import { GovernorFixture } from './testing/governor-fixture.ts';

const fixture = new GovernorFixture();
const origin = 'https://robots.test';
const rules = { groups: [{ agents: ['*'], disallow: ['/private'] }] };

describe('the cache of robots.txt', () => {
  test('gives back what was stored, per origin', async () => {
    await storeRobots(fixture.pool, { origin, outcome: 'found', rules, ttlSeconds: 86_400 });
    const [cached] = await loadRobots(fixture.pool, [origin, 'http://robots.test']);
    expect(cached).toMatchObject({ origin, outcome: 'found', rules });
    expect(Number(cached?.expires_at) - Number(cached?.fetched_at)).toBe(86_400_000);
  });

  test('keeps the newest, refusals included', async () => {
    await storeRobots(fixture.pool, { origin, outcome: 'unreachable', rules: null, ttlSeconds: 300 });
    expect(await loadRobots(fixture.pool, [origin])).toMatchObject([{ outcome: 'unreachable', rules: null }]);
  });

  test('forgets what has expired', async () => {
    await storeRobots(fixture.pool, { origin, outcome: 'found', rules, ttlSeconds: 0 });
    expect(await loadRobots(fixture.pool, [origin])).toEqual([]);
  });
});
