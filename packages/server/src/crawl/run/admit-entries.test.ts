import { expect, test } from 'vitest';
import { StartTimes } from './admit-entries.ts';

test('a host may be asked again when its delay is over, whoever was asked meanwhile', () => {
  const times = new StartTimes(1_000);
  times.started('a.example', 5_000);
  times.started('b.example', 5_400);
  expect(times.next('a.example', 5_900)).toBe(6_000);
  expect(times.next('a.example', 6_000)).toBeLessThanOrEqual(6_000);
  times.started('a.example', 6_000);
  expect(times.next('a.example', 6_100)).toBe(7_000);
  expect(times.next('b.example', 6_100)).toBe(6_400);
  expect(times.next('c.example', 6_100)).toBe(0);
});

test('its memory is bounded, and no delay is broken for that', () => {
  const times = new StartTimes(1_000, 3);
  for (const [index, host] of ['a', 'b', 'c'].entries()) times.started(host, 100 * index);
  expect(times.next('d', 500)).toBe(1_000);
  expect(times.next('a', 500)).toBe(1_000);
  expect(times.next('d', 1_050)).toBe(0);
  expect(times.next('b', 1_050)).toBe(1_100);
});

test('without a delay nothing is kept', () => {
  const times = new StartTimes(0);
  times.started('a.example', 5_000);
  expect(times.next('a.example', 5_000)).toBe(0);
});
