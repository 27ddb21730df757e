import type { Intake } from '@holdfast/contract';
import { dedupeKey } from './dedupe-key.ts';
import type { Listing } from './listing.ts';
import { type ItemAttributes, matchStrength } from './match-strength.ts';

/** A listing as it is kept for an intake. */
export interface PricePoint extends Listing {
  readonly dedupeKey: string;
  /** Decimal from 0 to 1. */
  readonly matchStrength: string;
  /** Somebody said how well it matches. */
  readonly matchIsStated: boolean;
}

type Item = Pick<Intake, 'title' | 'attributes' | 'must_agree'>;

/** What a listing is worth to an intake. `observedAt` is its day where it has none of its own. */
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

/** The title is an attribute among the others, where it is not one already. */
export function itemAttributes({ title, attributes }: Pick<Item, 'title' | 'attributes'>): ItemAttributes {
  return title === null ? attributes : { title, ...attributes };
}
