import { hash } from 'node:crypto';
import { type Intake, type PriceType, parseUrl } from '@holdfast/contract';
import { decimal, formatDecimal, multiplyDecimals, roundDecimal } from '../prices/decimal.ts';
import { foldText, type ItemAttributes, matchStrength } from './match-strength.ts';

/** One offer or sale as an adapter found it. */
export interface Listing {
  /** Exact decimal. */
  readonly price: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly priceType: PriceType;
  readonly title: string | null;
  readonly url: string | null;
  readonly externalId: string | null;
  /** Date of the listing or sale, RFC 3339. */
  readonly date: string | null;
  /** What the source states about the item apart from the title. */
  readonly attributes: Readonly<Record<string, string>> | null;
  /** The source's own data as JSON text, so that numbers keep their digits. */
  readonly raw: string | null;
}

/** A listing as stored for an intake. */
export interface PricePoint extends Listing {
  readonly dedupeKey: string;
  /** Decimal from 0 to 1. */
  readonly matchStrength: string;
  /** The strength was given, not computed. */
  readonly matchIsStated: boolean;
}

type Item = Pick<Intake, 'title' | 'attributes' | 'must_agree'>;

/** The price point of a listing for an intake. `observedAt` stands in for a missing date. */
export function pricePoint(
  item: Item,
  listing: Listing,
  observedAt: Date,
  statedStrength?: string | null,
): PricePoint {
  const { externalId, url, title, price, priceType, date } = listing;
  return {
    ...listing,
    dedupeKey: dedupeKey({
      externalId,
      url,
      title,
      price,
      priceType,
      date: date === null ? observedAt : new Date(date),
    }),
    matchStrength: statedStrength ?? strengthFor(item, { title, attributes: listing.attributes }),
    matchIsStated: statedStrength != null,
  };
}

export function strengthFor(
  item: Item,
  { title, attributes }: { readonly title: string | null; readonly attributes: ItemAttributes | null },
): string {
  return matchStrength(
    itemAttributes(item),
    { title: title ?? '', attributes: attributes ?? undefined },
    item.must_agree ?? undefined,
  );
}

/** The attributes of an item, with its title as one of them. */
export function itemAttributes({ title, attributes }: Pick<Item, 'title' | 'attributes'>): ItemAttributes {
  return title === null ? attributes : { title, ...attributes };
}

/** What distinguishes one listing from another. */
export interface ListingIdentity {
  readonly externalId?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly title?: string | null | undefined;
  /** Exact decimal. */
  readonly price: string;
  readonly priceType: PriceType;
  /** The date of the listing, or when it was seen. Only its UTC day counts. */
  readonly date: Date;
}

/** The key under which an intake keeps a listing of a source once: the source's own id, else a hash of the listing. */
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

/** The price in whole hundredths, whatever the currency. */
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
