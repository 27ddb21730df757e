import { expect, test } from 'vitest';
import { areUsedUp, retryDelayMs, triesWhenRefused } from './retry-delay.ts';

const many = (attempts: number, retryAfterSeconds?: number) =>
  Array.from({ length: 200 }, () => retryDelayMs(attempts, retryAfterSeconds));

test('a URL that failed is tried again after about 1 s, then 8 s, and no two at the same moment', () => {
  for (const [attempts, leastMs] of [
    [1, 1_000],
    [2, 8_000],
  ] as const) {
    const delays = many(attempts);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(leastMs);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1.5 * leastMs);
    expect(new Set(delays).size).toBeGreaterThan(100);
  }
});

test('a site that says when is asked then, and never sooner', () => {
  for (const delay of many(1, 2)) {
    expect(delay).toBeGreaterThanOrEqual(2_000);
    expect(delay).toBeLessThan(2_500);
  }
  expect(Math.min(...many(2, 30))).toBeGreaterThanOrEqual(30_000);
});

test('refusals and failures of a URL have a bound each, and neither takes from the other', () => {
  const most = 3;
  const mostRefused = most * triesWhenRefused;
  const areUsed = (failures: number, refusals: number) =>
    areUsedUp({ attempts: failures + refusals, refusals }, most);
  expect(areUsed(1, most)).toBe(false);
  expect(areUsed(most - 1, mostRefused - 1)).toBe(false);
  expect(areUsed(most, 0)).toBe(true);
  expect(areUsed(0, mostRefused)).toBe(true);
});
