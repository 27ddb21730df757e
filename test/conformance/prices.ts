import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePrice } from '../../packages/server/src/shop/prices/parse-price.ts';
import type { ConformanceSet } from './conformance-set.ts';

interface PriceCase {
  readonly currency_raw: string | null;
  readonly price_raw: string | null;
  readonly currency: string | null;
  readonly amount: string | null;
  readonly decimal_separator: string | null;
  readonly digit_group_separator: string | null;
}

const load = async (folder: string): Promise<PriceCase[]> =>
  JSON.parse(await readFile(join(folder, 'prices/prices.json'), 'utf8'));

const parsed = ({ price_raw, currency_raw, decimal_separator, digit_group_separator }: PriceCase) =>
  parsePrice(price_raw, {
    currency: currency_raw,
    separators: { decimal: decimal_separator ?? undefined, group: digit_group_separator ?? undefined },
  });

/** Texts of prices from real pages: the amount, compared as a number without losing a digit. */
export const prices: ConformanceSet = {
  name: 'prices',
  async run(folder) {
    const cases = await load(folder);
    const misses = cases.flatMap((one, i) => {
      const { amount } = parsed(one);
      return plainest(amount) === plainest(one.amount)
        ? []
        : [`${i} ${JSON.stringify([one.price_raw, one.currency_raw])}: ${amount} should be ${one.amount}`];
    });
    return { passed: cases.length - misses.length, total: cases.length, misses };
  },
};

/** The same texts: the currency as it is written there, or in the text that hints at it. */
export const priceCurrencies: ConformanceSet = {
  name: 'price-currencies',
  async run(folder) {
    const cases = await load(folder);
    const misses = cases.flatMap((one, i) => {
      const { currencyText } = parsed(one);
      return currencyText === one.currency
        ? []
        : [
            `${i} ${JSON.stringify([one.price_raw, one.currency_raw])}: ${currencyText} should be ${one.currency}`,
          ];
    });
    return { passed: cases.length - misses.length, total: cases.length, misses };
  },
};

/** Two writings of one number: without the zeros that change nothing. */
function plainest(amount: string | null): string | null {
  return amount?.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
