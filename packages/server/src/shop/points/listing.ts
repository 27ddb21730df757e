import type { PriceType } from '@holdfast/contract';

/** One offer or sale, as an adapter found it. */
export interface Listing {
  /** Exact decimal. */
  readonly price: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly priceType: PriceType;
  readonly title: string | null;
  readonly url: string | null;
  readonly externalId: string | null;
  /** Of the listing or the sale, RFC 3339. */
  readonly date: string | null;
  /** What the source says of the item apart from the title. */
  readonly attributes: Readonly<Record<string, string>> | null;
  /** As the source gave it: JSON text, so that its numbers keep their digits. */
  readonly raw: string | null;
}
