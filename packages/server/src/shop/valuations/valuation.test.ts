import type { PriceType } from '@holdfast/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareDecimals, decimal } from '../prices/decimal.ts';
import type { PriceObservation } from './comparables.ts';
import { valuate } from './valuation.ts';

const observed = (
  price: string,
  priceType: PriceType = 'sold',
  reputation = '1',
  matchStrength = '1',
  rest: Partial<PriceObservation> = {},
): PriceObservation => ({
  price, currency: 'USD', priceType, sourceId: 'a', reputation, matchStrength, ...rest,
}); // biome-ignore format: a row
const sold = (...prices: string[]) => prices.map((price) => observed(price));
const percentiles = ['p10', 'p20', 'p40', 'median', 'p60', 'p80', 'p90'] as const;

/**
 * The expected values are not ours. Percentiles of equal weights: numpy 2.4, percentile(…, method='hazen'). With weights:
 * numpy's interp(p, (cumsum(w) - w / 2) / sum(w), values), the definition in Wikipedia's article on percentiles with
 * C = 1/2; mean: numpy's average(values, weights=w); outliers by hand from numpy's quartiles.
 */
describe('a valuation', () => {
  test.each([
    ['of five sales', sold('15', '20', '35', '40', '50'), ['15.00', '17.50', '27.50', '35.00', '37.50', '45.00', '50.00'], '32.00', 0],
    ['of ten sales', sold('31.5', '28', '30', '29.99', '33', '27.5', '30.25', '35', '26', '32'), ['26.75', '27.75', '30.00', '30.13', '30.88', '32.50', '34.00'], '30.32', 0],
    ['without an outlier', sold('100', '102', '98', '101', '99', '103', '1000'), ['98.10', '98.70', '99.90', '100.50', '101.10', '102.30', '102.90'], '100.50', 1],
    ['by reputation and match', [
      observed('100', 'sold', '0.9', '1'), observed('120', 'sold', '0.5', '0.8'), observed('80', 'sold', '1', '0.6'),
      observed('110', 'sold', '0.7', '0.9'), observed('95', 'sold', '0.3', '0.5'), observed('105', 'sold', '1', '1'),
    ], ['97.22', '100.08', '103.33', '104.95', '106.83', '111.92', '117.90'], '106.02', 1],
    ['of few sales, asks counting half and bids not at all', [
      observed('50'), observed('52', 'sold', '0.8', '0.9'), observed('70', 'ask', '0.6', '0.75'), observed('75', 'ask', '1', '0.5'), observed('20', 'bid'),
    ], ['50.00', '50.00', '50.88', '51.39', '51.90', '67.09', '73.01'], '55.55', 0],
  ])('%s equals what others compute', (_name, observations, expected, mean, outliers) => {
    const valuation = valuate(observations);
    expect(percentiles.map((name) => valuation?.[name])).toEqual(expected);
    expect(valuation).toMatchObject({ mean, outliers });
  }); // biome-ignore format: a table

  test('of one price is that price', () => {
    expect(valuate(sold('12.34'))).toMatchObject({
      p10: '12.34',
      median: '12.34',
      p90: '12.34',
      mean: '12.34',
      comparables: 1,
    });
  });

  test('is exact where floats are not', () => {
    expect(valuate(sold('0.1', '0.2'))?.mean).toBe('0.15');
    expect(valuate(sold('9007199254740993.01', '9007199254740993.03'))?.mean).toBe('9007199254740993.02');
  });

  test('has the digits of its currency', () => {
    const in_ = (currency: string, ...prices: string[]) =>
      valuate(prices.map((price) => observed(price, 'sold', '1', '1', { currency })));
    expect(in_('JPY', '1000', '1001')?.mean).toBe('1001');
    expect(in_('KWD', '1.250', '1.255')?.mean).toBe('1.253');
  });

  test('leaves asks out once there are five sales', () => {
    const asks = ['900', '950', '990'].map((price) => observed(price, 'ask'));
    expect(valuate([...sold('100', '101', '102', '103', '104'), ...asks])).toMatchObject({
      median: '102.00',
      sold: 5,
      ask: 0,
      notUsed: 3,
    });
    expect(valuate([...sold('100', '101', '102', '103'), ...asks])).toMatchObject({
      sold: 4,
      ask: 3,
      notUsed: 0,
    });
  });

  test("is in the intake's currency, else in most observations'; the others are counted", () => {
    const euro = observed('90', 'sold', '1', '1', { currency: 'EUR' });
    expect(valuate([...sold('100', '110'), euro])).toMatchObject({
      currency: 'USD',
      comparables: 2,
      otherCurrencies: 1,
    });
    expect(valuate([...sold('100', '110'), euro], 'EUR')).toMatchObject({
      currency: 'EUR',
      median: '90.00',
      otherCurrencies: 2,
    });
    expect(valuate([...sold('100'), euro])?.currency).toBe('EUR');
  });

  test('of nothing comparable is none', () => {
    expect(valuate([])).toBeNull();
    expect(valuate([observed('5', 'bid')])).toBeNull();
    expect(valuate([observed('5', 'sold', '0', '1'), observed('5', 'sold', '1', '0')])).toBeNull();
    expect(valuate(sold('5'), 'EUR')).toBeNull();
  });
});

describe('confidence', () => {
  test('is one for a single ask, and says why', () => {
    const valuation = valuate([observed('10', 'ask')]);
    expect(valuation?.confidence).toBe(1);
    expect(valuation?.reasons.map(({ text }) => text)).toEqual([
      'There is only one comparable price.',
      'All of them come from one source.',
      'None of them is a sale, and asking prices are usually too high.',
      'They are too few to estimate the spread of prices.',
      'Most listings match the item well.',
    ]);
  });

  test('is ten for many sales of many sources that agree', () => {
    const many = Array.from({ length: 24 }, (_, i) =>
      observed(`${100 + (i % 5)}`, 'sold', '1', '0.9', { sourceId: `s${i % 3}` }),
    );
    const valuation = valuate(many);
    expect(valuation).toMatchObject({ confidence: 10, comparables: 24, sources: 3, sold: 24 });
    expect(valuation?.reasons.every(({ text }) => /^[A-Z0-9].*\.$/.test(text))).toBe(true);
  });

  test('falls with poor matches', () => {
    const at = (match: string) =>
      valuate(sold('10', '11', '12', '10', '11').map((one) => ({ ...one, matchStrength: match })))
        ?.confidence ?? 0;
    expect(at('0.9') - at('0.4')).toBe(2);
  });

  test('is one more than its points, within one and ten', () => {
    fc.assert(
      fc.property(observations, (list) => {
        const valuation = valuate(list);
        if (valuation === null) return;
        const sum = valuation.reasons.reduce((total, { points }) => total + points, 1);
        expect(valuation.confidence).toBe(Math.min(10, Math.max(1, sum)));
      }),
    );
  });
});

const shares = fc.integer({ min: 1, max: 1_000 }).map((share) => (share / 1_000).toFixed(3));
const prices = fc
  .integer({ min: 1, max: 10_000_000 })
  .map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
const observations = fc.array(
  fc
    .tuple(
      prices,
      fc.constantFrom<PriceType>('sold', 'ask', 'bid'),
      shares,
      shares,
      fc.constantFrom('a', 'b', 'c'),
    )
    .map(([price, type, reputation, match, sourceId]) =>
      observed(price, type, reputation, match, { sourceId }),
    ),
  { maxLength: 60 },
);

describe('for any observations', () => {
  test('percentiles rise, and lie with the mean between the lowest and the highest price', () => {
    fc.assert(
      fc.property(observations, (list) => {
        const valuation = valuate(list);
        if (valuation === null) return;
        const values = percentiles.map((name) => decimal(valuation[name]));
        for (const [i, value] of values.entries())
          if (i > 0) expect(compareDecimals(values[i - 1] as never, value)).toBeLessThanOrEqual(0);
        const all = list.map(({ price }) => decimal(price)).sort(compareDecimals);
        for (const value of [...values, decimal(valuation.mean)]) {
          expect(compareDecimals(value, all[0] as never)).toBeGreaterThanOrEqual(0);
          expect(compareDecimals(value, all.at(-1) as never)).toBeLessThanOrEqual(0);
        }
      }),
    );
  });

  test('their order does not matter', () => {
    fc.assert(
      fc.property(
        observations.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([list, shuffled]) => {
          expect(valuate(shuffled)).toEqual(valuate(list));
        },
      ),
    );
  });

  test('counts add up', () => {
    fc.assert(
      fc.property(observations, (list) => {
        const valuation = valuate(list);
        if (valuation === null) return;
        const { comparables, outliers, otherCurrencies, notUsed, sold: sales, ask } = valuation;
        expect(comparables + outliers + otherCurrencies + notUsed).toBe(list.length);
        expect(sales + ask).toBe(comparables);
      }),
    );
  });
});
