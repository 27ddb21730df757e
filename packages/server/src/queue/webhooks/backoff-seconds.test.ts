import { expect, test } from 'vitest';
import { backoffSeconds, pauseSeconds } from './backoff-seconds.ts';

test('waits grow by a factor, within their jitter, up to six hours; a receiver may ask for more', () => {
  expect([1, 2, 3].map((attempts) => backoffSeconds(attempts, 0, 0.5))).toEqual([10, 30, 90]);
  expect(backoffSeconds(1, 0, 0)).toBe(8);
  expect(backoffSeconds(1, 0, 1)).toBeCloseTo(12);
  expect(backoffSeconds(50, 0, 0.5)).toBe(6 * 3600);
  expect(backoffSeconds(1, 7200, 0.5)).toBe(7200);
  expect([0, 1, 5, 50].map((streak) => pauseSeconds(streak))).toEqual([1, 2, 32, 300]);
  expect(pauseSeconds(0, 60)).toBe(60);
});
