import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minorDigits } from './currencies.ts';
import {
  addDecimals,
  compareDecimals,
  decimal,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  roundDecimal,
  subtractDecimals,
} from './decimal.ts';

const shown = formatDecimal;

describe('decimals', () => {
  test('add and multiply where floats go wrong', () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(shown(addDecimals(decimal('0.1'), decimal('0.2')))).toBe('0.3');
    expect(shown(multiplyDecimals(decimal('19.99'), decimal('3')))).toBe('59.97');
  });

  test('keep the digits of every currency', () => {
    expect(shown(roundDecimal(decimal('1234.5'), minorDigits('JPY')))).toBe('1235');
    expect(shown(roundDecimal(decimal('1.2345'), minorDigits('KWD')))).toBe('1.235');
    expect(shown(roundDecimal(decimal('1.005'), minorDigits('EUR')))).toBe('1.01');
    expect(shown(roundDecimal(decimal('-1.005'), minorDigits('EUR')))).toBe('-1.01');
  });

  test.each([
    ['19.90', '19.90'],
    ['0', '0'],
    ['-0.05', '-0.05'],
    ['1.9e1', '19'],
    ['5e-3', '0.005'],
    ['2E3', '2000'],
    ['98765432109876543210.123456789', '98765432109876543210.123456789'],
  ])('are read and written: %s', (text, expected) => {
    expect(shown(decimal(text))).toBe(expected);
  });

  test.each(['', '.', '1.', '.5', '1,5', 'NaN', 'Infinity', '0x10', '1e999', '9'.repeat(61), '١'])(
    'are not made of %j',
    (text) => {
      expect(parseDecimal(text)).toBeNull();
      expect(() => decimal(text)).toThrow(RangeError);
    },
  );

  test('divide to the digits asked for', () => {
    expect(shown(divideDecimals(decimal('10'), decimal('3'), 4))).toBe('3.3333');
    expect(shown(divideDecimals(decimal('0.05'), decimal('0.1'), 0))).toBe('1');
    expect(shown(divideDecimals(decimal('-1'), decimal('8'), 2))).toBe('-0.13');
    expect(() => divideDecimals(decimal('1'), decimal('0'), 2)).toThrow(RangeError);
  });
});

const amounts = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(20))
  .map(([units, scale]) => ({ units, scale }));

describe('for any decimals', () => {
  test('writing and reading gives the same number', () => {
    fc.assert(
      fc.property(amounts, (a) => {
        expect(decimal(shown(a))).toEqual(a);
      }),
    );
  });

  test('sums and products do not depend on order, and subtraction undoes addition', () => {
    fc.assert(
      fc.property(amounts, amounts, amounts, (a, b, c) => {
        expect(addDecimals(a, b)).toEqual(addDecimals(b, a));
        expect(compareDecimals(addDecimals(addDecimals(a, b), c), addDecimals(a, addDecimals(b, c)))).toBe(0);
        expect(multiplyDecimals(a, b)).toEqual(multiplyDecimals(b, a));
        expect(compareDecimals(subtractDecimals(addDecimals(a, b), b), a)).toBe(0);
      }),
    );
  });

  test('a quotient is off by at most half of its last digit', () => {
    fc.assert(
      fc.property(
        amounts,
        amounts.filter(({ units }) => units !== 0n),
        fc.nat(10),
        (a, b, scale) => {
          const rest = subtractDecimals(a, multiplyDecimals(divideDecimals(a, b, scale), b));
          const size = (d: { units: bigint; scale: number }) => ({
            ...d,
            units: d.units < 0n ? -d.units : d.units,
          });
          const half = multiplyDecimals(size(b), { units: 5n, scale: scale + 1 });
          expect(compareDecimals(size(rest), half)).toBeLessThanOrEqual(0);
        },
      ),
    );
  });
});
