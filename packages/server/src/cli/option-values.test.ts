import { expect, test } from 'vitest';
import { formatFrequency } from './format-values.ts';
import { readFrequency } from './option-values.ts';

test.each([
  ['6', 6, '6 h'],
  ['6h', 6, '6 h'],
  ['1.5h', 1.5, '1.5 h'],
  ['30min', 0.5, '30 min'],
  ['30m', 0.5, '30 min'],
  ['20min', 0.3333, '20 min'],
  ['1min', 0.0167, '1 min'],
  ['90min', 1.5, '1.5 h'],
  ['24h', 24, '1 d'],
  ['3d', 72, '3 d'],
  ['7d', 168, '1 w'],
  ['2w', 336, '2 w'],
])('a frequency of %s is %d hours, shown as %s', (text, hours, shown) => {
  expect(readFrequency(text)).toBe(hours);
  expect(formatFrequency(hours)).toBe(shown);
});

test.each(['', 'daily', '-1h', '6 h', '6y', '1e3', '6h30'])('%j is no frequency', (text) => {
  expect(() => readFrequency(text)).toThrow('such as 30min');
});
