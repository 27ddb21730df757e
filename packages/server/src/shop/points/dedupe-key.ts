import { hash } from 'node:crypto';
import { type PriceType, parseUrl } from '@holdfast/contract';
import { decimal, formatDecimal, multiplyDecimals, roundDecimal } from '../prices/decimal.ts';
import { foldText } from './fold-text.ts';

/** What tells one listing from another. */
export interface ListingIdentity {
  readonly externalId?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly title?: string | null | undefined;
  /** Exact decimal. */
  readonly price: string;
  readonly priceType: PriceType;
  /** The date of the listing, or when it was seen; its day in UTC counts. */
  readonly date: Date;
}

/**
 * The key under which a price point is kept once for an intake and a source: the source's own id, else a hash of what a
 * listing consists of.
 */
export function dedupeKey(listing: ListingIdentity): string {
  const externalId = listing.externalId?.trim();
  if (externalId) return `ext_${externalId}`;
  const parts = [
    bareUrl(listing.url ?? ''),
    foldText(listing.title ?? ''),
    cents(listing.price),
    listing.date.toISOString().slice(0, 10),
    listing.priceType,
  ];
  return `hash_${hash('sha256', parts.join('|'), 'hex').slice(0, 16)}`;
}

/** A hundredth of the price's unit in every currency, whole. */
function cents(price: string): string {
  return formatDecimal(roundDecimal(multiplyDecimals(decimal(price), decimal('100')), 0));
}

/** Without query and fragment, scheme and host in lower case. */
function bareUrl(url: string): string {
  const trimmed = url.trim();
  const parsed = parseUrl(trimmed);
  if (!parsed) return trimmed.replace(/[?#].*$/s, '');
  const { protocol, host, pathname } = parsed;
  return `${protocol}//${host}${pathname}`;
}
