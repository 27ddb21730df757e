import { expect, test } from 'vitest';
import { decimalText } from './decimal-text.ts';

test.each([
  ['99.99', '99.99'],
  ['99.990', '99.990'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['0', '0'],
  ['-0', '0'],
  ['-0.00', '0.00'],
  ['1e2', '100'],
  ['1.5E+3', '1500'],
  ['1.5e-3', '0.0015'],
  ['5e-1', '0.5'],
  ['-12.50', '-12.50'],
  ['12345678901234567890.12345678901234567890', '12345678901234567890.12345678901234567890'],
  ['0e500', '0'],
])('%s is %s, digit by digit', (source, expected) => {
  expect(decimalText(source)).toBe(expected);
});

test.each([
  '1e400',
  '1e21',
  '123456789012345678901',
  '0.123456789012345678901',
  '1e-400',
  'NaN',
  'Infinity',
  '',
  '1.',
  '.5',
  '1,5',
  '0x10',
  ' 1',
  '9'.repeat(101),
])('%s is no number of ours', (source) => {
  expect(decimalText(source)).toBeUndefined();
});
