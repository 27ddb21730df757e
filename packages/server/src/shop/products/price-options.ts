import { currencyCode, minorDigits } from '../prices/currencies.ts';
import { compareDecimals, type Decimal, formatDecimal, parseDecimal } from '../prices/decimal.ts';
import { parsePrice } from '../prices/parse-price.ts';
import { canBeBought, readAvailability } from './availability.ts';
import type { Evidence } from './product.ts';
import type { StructuredOffer } from './structured-products.ts';

/** A price in an offer. */
export interface PriceOption {
  readonly amount: string;
  readonly value: Decimal;
  readonly currency: string | null;
  readonly price: Evidence;
  readonly currencyEvidence: Evidence | undefined;
  readonly listPrice: Evidence | undefined;
  readonly orderable: boolean;
}

/** The prices of offers, each amount once, orderable ones first. Zero is not a price. */
export function priceOptions(offers: readonly StructuredOffer[], region: string | null): PriceOption[] {
  const options: PriceOption[] = [];
  for (const { price, currency, availability, listPrice } of offers) {
    if (price === undefined) continue;
    const read = readDeclared(price.text, currency?.text, region);
    const value = read.amount === null ? null : parseDecimal(read.amount);
    if (read.amount === null || value === null || value.units <= 0n) continue;
    const state = availability && readAvailability(availability.text);
    const option = {
      amount: read.amount,
      value,
      currency: read.currency,
      price,
      currencyEvidence: currency ?? (read.currency === null ? undefined : price),
      listPrice,
      orderable: state === null || state === undefined || canBeBought(state),
    };
    const same = options.findIndex((other) => compareDecimals(other.value, value) === 0);
    if (same < 0) options.push(option);
    else if (option.orderable && !(options[same] as PriceOption).orderable) options[same] = option;
  }
  return options.sort((a, b) => Number(b.orderable) - Number(a.orderable));
}

/** A price in structured data. A plain number uses a decimal point, as schema.org requires: `1.299` is about one. Else like visible text. */
export function readDeclared(
  text: string,
  currencyText: string | undefined,
  region: string | null,
): { amount: string | null; currency: string | null } {
  const declared = currencyText === undefined ? null : currencyCode(currencyText);
  const machine = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? parseDecimal(text) : null;
  if (machine !== null)
    return {
      amount: formatDecimal(machine),
      currency: declared ?? parsePrice(null, { currency: currencyText, region }).currency,
    };
  const { amount, currency } = parsePrice(text, { currency: currencyText, region });
  return { amount, currency: declared ?? currency };
}

/** `12.5000` becomes 12.50: shops' databases keep four decimals, readers expect the currency's. */
export function withCurrencyDigits(amount: string, currency: string | null): string {
  const digits = currency === null ? 2 : minorDigits(currency);
  const [whole = '', fraction = ''] = amount.split('.');
  const kept = fraction.slice(0, digits) + fraction.slice(digits).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}
