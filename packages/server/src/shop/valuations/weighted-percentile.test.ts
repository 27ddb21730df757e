import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, formatDecimal } from '../prices/decimal.ts';
import { sortedByValue, weightedPercentile, withoutOutliers } from './weighted-percentile.ts';

const values = (...list: (string | [value: string, weight: number])[]) =>
  sortedByValue(
    list.map((one) => {
      const [value, weight] = typeof one === 'string' ? [one, 1] : one;
      return { value: decimal(value), weight: BigInt(weight) };
    }),
  );

/** https://en.wikipedia.org/wiki/Percentile, the example for C = 1/2. */
test.each([
  [5, '15.0'],
  [30, '20.0'],
  [40, '27.5'],
  [95, '50.0'],
])('the %sth percentile of 15, 20, 35, 40, 50 is %s', (percent, expected) => {
  expect(formatDecimal(weightedPercentile(values('40', '15', '50', '20', '35'), percent, 1))).toBe(expected);
});

test('equal values of different weight count alike in whatever order they come', () => {
  const [one, other] = [
    values(['10', 1], ['20', 1], ['20', 6], ['30', 2]),
    values(['20', 6], ['30', 2], ['20', 1], ['10', 1]),
  ];
  for (const percent of [5, 15, 25, 50, 75, 85, 95])
    expect(weightedPercentile(other, percent, 6)).toEqual(weightedPercentile(one, percent, 6));
});

/** By hand: weights 1, 3, 1 put the values at 10, 50 and 90 per cent; 30 lies in the middle of the first two. */
test('a value that weighs more takes more of the scale', () => {
  const weighed = values(['10', 1], ['20', 3], ['60', 1]);
  expect([5, 10, 30, 50, 70, 90, 99].map((p) => formatDecimal(weightedPercentile(weighed, p, 0)))).toEqual([
    '10', '10', '15', '20', '40', '60', '60',
  ]); // biome-ignore format: a row
});

test('what weighs nothing does not count', () => {
  expect(formatDecimal(weightedPercentile(values('5', ['1', 0]), 10, 0))).toBe('5');
  expect(() => weightedPercentile([], 50, 2)).toThrow(RangeError);
});

test('weights count only in proportion', () => {
  const list = fc.array(fc.tuple(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 100 })), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(
      list,
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 2, max: 50 }),
      (pairs, percent, factor) => {
        const plain = values(...pairs.map(([value, weight]): [string, number] => [String(value), weight]));
        const scaled = plain.map((one) => ({ ...one, weight: one.weight * BigInt(factor) }));
        expect(weightedPercentile(scaled, percent, 4)).toEqual(weightedPercentile(plain, percent, 4));
      },
    ),
  );
});

/** Quartiles 2.75 and 7.25 (numpy, method='hazen'), so the upper fence is 7.25 + 1.5 * 4.5 = 14. */
test('outliers are what lies beyond one and a half times the interquartile range', () => {
  const shown = (...list: string[]) =>
    withoutOutliers(values(...list)).map(({ value }) => formatDecimal(value));
  expect(shown('1', '2', '3', '4', '5', '6', '7', '8', '14')).toContain('14');
  expect(shown('1', '2', '3', '4', '5', '6', '7', '8', '14.01')).not.toContain('14.01');
  expect(shown('1', '1000', '2')).toHaveLength(3);
});
