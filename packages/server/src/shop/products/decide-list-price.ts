import { compareDecimals, decimal } from '../prices/decimal.ts';
import type { DecidedPrice } from './decide-price.ts';
import { readDeclared } from './price-options.ts';
import type { Evidence } from './product.ts';
import type { VisiblePrice } from './visible-prices.ts';

/** A list price beyond this many times the price belongs to something else. */
const most = decimal('20');

export interface DecidedListPrice {
  readonly amount: string;
  readonly evidence: Evidence;
}

/** The price before the reduction: declared beside the price, or the best that is shown as such and is higher. */
export function decideListPrice(
  price: DecidedPrice,
  visible: readonly VisiblePrice[],
  region: string | null,
): DecidedListPrice | null {
  if (price.listPrice !== undefined) {
    const { amount } = readDeclared(price.listPrice.text, price.currency ?? undefined, region);
    if (amount !== null && isHigher(amount, price.amount)) return { amount, evidence: price.listPrice };
  }
  const top = visible.find(({ list }) => !list);
  for (const { amount, list, score, text, path } of visible) {
    if (top !== undefined && score < top.score - 5) return null;
    if (list && isHigher(amount, price.amount))
      return { amount, evidence: { source: 'visible', path, text } };
  }
  return null;
}

function isHigher(amount: string, than: string): boolean {
  const [a, b] = [decimal(amount), decimal(than)];
  return compareDecimals(a, b) > 0 && compareDecimals(a, { units: b.units * most.units, scale: b.scale }) < 0;
}
