import { expect, test } from 'vitest';
import { formatBytes, formatDuration, formatRate } from './format-values.ts';

test.each([
  [0.34, '0.3 s'],
  [9.96, '10 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [3_600, '1 h'],
  [5_430, '1 h 31 min'],
  [90_000, '1 d 1 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_234, '1.2 kB'],
  [999_700, '1.0 MB'],
  [123_456_789, '123 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('a rate has a decimal while it is small', () => {
  expect([formatRate(0.52), formatRate(84.4), formatRate(1234)]).toEqual(['0.5', '84', '1,234']);
});
