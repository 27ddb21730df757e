import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PriceObservation, selectComparables } from './comparables.ts';
import { distributionOf } from './distribution.ts';
import { valuate } from './valuation.ts';

const seen = (price: string, priceType: PriceObservation['priceType'] = 'sold'): PriceObservation => ({
  price,
  currency: 'USD',
  priceType,
  sourceId: 'shop',
  reputation: '1',
  matchStrength: '1',
});

function distributionFor(observations: readonly PriceObservation[]) {
  const sorted = selectComparables(observations);
  if (!sorted) throw new Error('nothing is comparable');
  return distributionOf(sorted);
}

test('counts what decided from the lowest to the highest price, and tells outliers apart', () => {
  const { bins, outliers } = distributionFor(
    ['10', '11', '11', '12', '12', '13', '13', '14', '0.01', '900.10', '5000'].map((price) => seen(price)),
  );
  expect([bins[0]?.from, bins.at(-1)?.to]).toEqual(['10', '14']);
  expect(bins.reduce((sum, { sold, ask }) => sum + sold + ask, 0)).toBe(8);
  expect(bins.at(-1)).toMatchObject({ sold: 1, ask: 0 });
  expect(outliers.map(({ price }) => price)).toEqual(['0.01', '900.10', '5000']);
});

test('one price, however often it was seen, is one bin', () => {
  const { bins } = distributionFor([seen('19.99'), seen('19.99', 'ask')]);
  expect(bins).toEqual([{ from: '19.99', to: '19.99', sold: 1, ask: 1 }]);
});

test('has every price that a valuation has, once, and in the right bin', () => {
  const price = fc.integer({ min: 0, max: 100_000 }).map((cents) => (cents / 100).toFixed(2));
  const type = fc.constantFrom('sold' as const, 'ask' as const);
  fc.assert(
    fc.property(fc.array(fc.tuple(price, type), { minLength: 1, maxLength: 60 }), (given) => {
      const observations = given.map(([amount, priceType]) => seen(amount, priceType));
      const valuation = valuate(observations);
      const { bins, outliers } = distributionFor(observations);
      const count = (name: 'sold' | 'ask') => bins.reduce((sum, bin) => sum + bin[name], 0);
      expect([count('sold'), count('ask'), outliers.length]).toEqual([
        valuation?.sold,
        valuation?.ask,
        valuation?.outliers,
      ]);
      for (let n = 1; n < bins.length; n++) expect(bins[n]?.from).toBe(bins[n - 1]?.to);
      expect(bins.length).toBeLessThanOrEqual(24);
    }),
  );
});
