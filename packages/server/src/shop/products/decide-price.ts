import { compareDecimals, type Decimal, decimal } from '../prices/decimal.ts';
import { type PriceOption, readDeclared } from './price-options.ts';
import type { Evidence } from './product.ts';
import type { VisiblePrice } from './visible-prices.ts';

interface DecidedPrice {
  readonly amount: string;
  readonly evidence: Evidence;
  readonly currency: string | null;
  readonly currencyEvidence: Evidence | undefined;
  readonly listPrice: Evidence | undefined;
}

/** Below this score, a price belongs to something else on the page. */
const least = -5;
/** From this score on, a visible price is very likely the product's own. */
const sure = 2.5;
/** An amount that scores this much lower than the best is a detail. */
const margin = 4;
/** Shown this much less prominently than a price that is struck through, an amount is that of another product. */
const detail = 2.5;

/**
 * Structured data takes precedence, but the visible price overrules it in two cases: the declared price is visible only as the old
 * price beside a lower one, or not at all.
 */
export function decidePrice(
  sources: readonly (readonly PriceOption[])[],
  visible: readonly VisiblePrice[],
): DecidedPrice | null {
  const asked = visible.find(({ list, score }) => !list && score >= least);
  const old = visible.find(({ list }) => list);
  // Struck through and alone, it is the price; what else the page shows belongs to other products.
  const isAlone =
    old !== undefined &&
    !old.inTile &&
    (asked === undefined || asked.inTile || asked.score < Math.min(sure, old.score - detail));
  const top = isAlone && old.score >= least ? old : asked;
  for (const options of sources) {
    const chosen = chooseOption(options, visible);
    if (chosen === undefined) continue;
    return top !== undefined && overrules(top, chosen.value, visible) ? fromVisible(top) : fromOption(chosen);
  }
  return top === undefined ? null : fromVisible(top);
}

/** Of several options, the one shown most prominently; else the first that can be ordered. */
function chooseOption(
  options: readonly PriceOption[],
  visible: readonly VisiblePrice[],
): PriceOption | undefined {
  if (options.length < 2) return options[0];
  for (const { amount, list } of visible) {
    if (list) continue;
    const shown = options.find(({ value }) => same(value, amount));
    if (shown !== undefined) return shown;
  }
  return options[0];
}

function overrules(top: VisiblePrice, declared: Decimal, visible: readonly VisiblePrice[]): boolean {
  if (top.score < sure || same(declared, top.amount)) return false;
  const shown = visible.filter(({ amount }) => same(declared, amount));
  if (shown.length === 0) return true;
  const lower = compareDecimals(decimal(top.amount), declared) < 0;
  return lower && shown.every(({ list, score }) => list || score < top.score - margin);
}

function fromOption({ amount, price, currency, currencyEvidence, listPrice }: PriceOption): DecidedPrice {
  return { amount, evidence: price, currency, currencyEvidence, listPrice };
}

/** An ambiguous mark such as `$` means the most used currency. */
function fromVisible({ amount, currency: certain, currencyCodes, text, path }: VisiblePrice): DecidedPrice {
  const evidence: Evidence = { source: 'visible', path, text };
  const currency = certain ?? currencyCodes[0] ?? null;
  return {
    amount,
    evidence,
    currency,
    currencyEvidence: currency === null ? undefined : evidence,
    listPrice: undefined,
  };
}

/** A list price more than this many times the price belongs to something else. */
const most = decimal('20');

interface DecidedListPrice {
  readonly amount: string;
  readonly evidence: Evidence;
}

/** The price before a reduction: declared with the price, or the best visible list price that is higher. */
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

const same = (value: Decimal, amount: string) => compareDecimals(value, decimal(amount)) === 0;
