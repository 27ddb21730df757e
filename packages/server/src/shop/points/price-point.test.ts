import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cacheKey } from '../collect/adapter-cache.ts';
import { dedupeKey, type ListingIdentity } from './price-point.ts';

const listing: ListingIdentity = {
  url: 'https://shop.example/item/7?ref=mail#top',
  title: ' Morgan  Dollar\n1881-S ',
  price: '125.50',
  priceType: 'sold',
  date: new Date('2024-05-01T23:30:00Z'),
};

describe('the dedupe key', () => {
  test("is the source's own id where there is one", () => {
    expect(dedupeKey({ ...listing, externalId: '3344-Ab' })).toBe('ext_3344-Ab');
    expect(dedupeKey({ ...listing, externalId: ' ' })).toMatch(/^hash_/);
  });

  /** printf 'https://shop.example/item/7|morgan dollar 1881-s|12550|2024-05-01|sold' | sha256sum | cut -c1-16 */
  test('is else the first sixteen digits of a hash of what the listing consists of', () => {
    expect(dedupeKey(listing)).toBe('hash_8705b13447f55479');
    expect(dedupeKey({ price: '5', priceType: 'ask', date: new Date('2023-12-31T00:00:00Z') })).toBe(
      'hash_8b31df172a133a10',
    );
  });

  test('does not depend on how the same is written', () => {
    const same: Partial<ListingIdentity>[] = [
      { url: 'HTTPS://Shop.Example/item/7' },
      { title: 'MORGAN DOLLAR 1881-s' },
      { price: '125.5' },
      { price: '125.500' },
      { date: new Date('2024-05-01T00:00:00Z') },
    ];
    for (const change of same) expect(dedupeKey({ ...listing, ...change })).toBe(dedupeKey(listing));
  });

  test('differs for another listing', () => {
    const others: Partial<ListingIdentity>[] = [
      { url: 'https://shop.example/item/8' },
      { title: 'Morgan Dollar 1881' },
      { price: '125.51' },
      { priceType: 'ask' },
      { date: new Date('2024-05-02T00:00:00Z') },
    ];
    const keys = [listing, ...others.map((change) => ({ ...listing, ...change }))].map(dedupeKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('has cents of a hundredth in every currency', () => {
    const keyOf = (price: string) => dedupeKey({ ...listing, price });
    expect(keyOf('1000')).toBe(keyOf('1000.00'));
    expect(keyOf('1.234')).not.toBe(keyOf('1.244'));
    expect(keyOf('0.1')).not.toBe(keyOf('0.2'));
  });

  test('is the same each time, for any listing, and never of another form', () => {
    const any = fc.record({
      url: fc.option(
        fc.oneof(
          fc.string().map((path) => `https://a.example/${path}`),
          fc.string(),
        ),
      ),
      title: fc.option(fc.string()),
      externalId: fc.option(fc.string()),
      price: fc.nat().map((cents) => `${cents}.${cents % 100}`),
      priceType: fc.constantFrom('sold' as const, 'ask' as const, 'bid' as const),
      date: fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    });
    fc.assert(
      fc.property(any, (one) => {
        const key = dedupeKey(one);
        expect(key).toBe(dedupeKey({ ...one }));
        expect(key).toMatch(one.externalId?.trim() ? /^ext_/ : /^hash_[0-9a-f]{16}$/);
      }),
    );
  });
});

describe('the cache key', () => {
  test('of a coin is its source, year, mintmark, denomination, series and title', () => {
    const coin = {
      title: ' Morgan  Dollar',
      year: 1881,
      mintmark: 'S',
      denomination: '$1',
      series: 'Morgan',
    };
    expect(cacheKey('ebay', coin)).toBe('ebay|1881|s|$1|morgan|morgan dollar');
    expect(cacheKey('ebay', { year: 1881 })).toBe('ebay|1881||||');
  });

  test('tells items apart that differ in anything', () => {
    const keys = [
      { title: 'a|b' },
      { title: 'a', size: 'b' },
      { title: 'a', colour: 'b' },
      { series: 'a', title: 'b' },
      { title: 'a' },
    ].map((item) => cacheKey('s', item));
    expect(new Set(keys).size).toBe(keys.length);
    expect(cacheKey('s', { b: '1', a: '2' })).toBe(cacheKey('s', { a: '2', b: '1' }));
  });
});
