import { expect, test } from 'vitest';
import { axisText, decimalText, delayText, plural } from './count-text.ts';

test('an exact decimal keeps every digit, with commas between its thousands alone', () => {
  const given = ['0.01', '44.90', '999', '2450', '61111110.56', '-1234567.8901234567890123', '1e5', ''];
  expect(given.map(decimalText)).toEqual([
    '0.01',
    '44.90',
    '999',
    '2,450',
    '61,111,110.56',
    '-1,234,567.8901234567890123',
    '1e5',
    '',
  ]);
});

test('one is one, and everything else is many', () => {
  expect([0, 1, 2.5, 3000].map((count) => plural(count, 'host'))).toEqual([
    '0 hosts',
    '1 host',
    '2.5 hosts',
    '3,000 hosts',
  ]);
});

test('a delay is told in the unit that people would use', () => {
  expect([0, 250, 1_000, 1_500, 60_000, 3_600_000].map(delayText)).toEqual([
    'none',
    '250 ms',
    '1 s',
    '1.5 s',
    '60 s',
    '60 min',
  ]);
});

test('numbers of an axis stay short', () => {
  expect([0, 0.5, 9_999, 10_000, 25_000_000].map(axisText)).toEqual(['0', '0.5', '9,999', '10K', '25M']);
});
