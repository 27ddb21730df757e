import { expect, test } from 'vitest';
import { bootstrap } from './bootstrap.ts';

const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
const cases = (count: number) => Array.from({ length: count }, (_, i) => (i % 10 === 0 ? 0 : 1));

test('an interval holds the score and narrows with more cases', () => {
  const few = bootstrap(cases(40), mean);
  const many = bootstrap(cases(4_000), mean);
  for (const [low, high] of [few, many]) {
    expect(low).toBeLessThan(0.9);
    expect(high).toBeGreaterThan(0.9);
  }
  // A share of .9 over 40 cases has a standard error of .047.
  expect(few[1] - few[0]).toBeGreaterThan(0.12);
  expect(few[1] - few[0]).toBeLessThan(0.24);
  expect(many[1] - many[0]).toBeLessThan(0.03);
});

test('the same cases give the same interval', () => {
  expect(bootstrap(cases(60), mean)).toEqual(bootstrap(cases(60), mean));
});

test('cases that are all alike leave no doubt', () => {
  expect(bootstrap([1, 1, 1], mean)).toEqual([1, 1]);
  expect(bootstrap([], mean)).toEqual([0, 0]);
});
