import type { Evidence } from './product.ts';

/** One offer of a product, as the page's structured data has it. */
export interface StructuredOffer {
  readonly price?: Evidence | undefined;
  readonly listPrice?: Evidence | undefined;
  readonly currency?: Evidence | undefined;
  readonly availability?: Evidence | undefined;
  readonly sku?: Evidence | undefined;
  readonly url?: string | undefined;
}

export interface StructuredProduct {
  readonly title?: Evidence | undefined;
  readonly url?: string | undefined;
  readonly sku?: Evidence | undefined;
  readonly gtin?: Evidence | undefined;
  readonly brand?: Evidence | undefined;
  readonly image?: Evidence | undefined;
  readonly offers: readonly StructuredOffer[];
  /** One of a list, such as products that go with this one. */
  readonly listed: boolean;
}
