import { expect, test } from 'vitest';
import { newPricePoint } from './price-points.ts';

const point = (url: unknown) => newPricePoint.safeParse({ price: '19.99', currency: 'USD', url });

test.each(['https://shop.example/item/7', 'http://shop.example/?q=ü', null, undefined])(
  'a price may have been found at %j',
  (url) => {
    expect(point(url).success).toBe(true);
  },
);

test.each(['javascript:alert(1)', '//evil/x', 'not a url', 'data:text/html,x', '/item/7'])(
  '%j is no place where a price was found',
  (url) => {
    expect(point(url).error?.issues).toMatchObject([
      { path: ['url'], message: 'must be an absolute http or https URL' },
    ]);
  },
);
