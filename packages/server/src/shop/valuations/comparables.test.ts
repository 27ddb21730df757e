import { expect, test } from 'vitest';
import { type PriceObservation, whyNotValued } from './comparables.ts';
import { valuate } from './valuation.ts';

const price: PriceObservation = {
  price: '10',
  currency: 'USD',
  priceType: 'sold',
  sourceId: 'shop',
  reputation: '0.5',
  matchStrength: '0.9',
};

test.each<[PriceObservation[], string | null, string]>([
  [[], null, 'no price has been observed yet'],
  [
    [{ ...price, priceType: 'bid' }],
    null,
    'one price was observed, but none is comparable (1 bid, not sold)',
  ],
  [
    [
      { ...price, matchStrength: '0.000' },
      { ...price, reputation: '0' },
      { ...price, matchStrength: '0' },
    ],
    null,
    '3 prices were observed, but none is comparable (2 of another item, 1 from sources of weight 0)',
  ],
  [[price, price], 'EUR', '2 prices were observed, but none is comparable (2 not in EUR)'],
])('says why %j in %s is worth nothing that can be told', (observations, currency, why) => {
  expect(valuate(observations, currency)).toBeNull();
  expect(whyNotValued(observations, currency)).toBe(why);
});
