/** Where a value was found, the most trusted first. */
export type ProductSource = 'json-ld' | 'microdata' | 'rdfa' | 'opengraph' | 'visible' | 'url';

/** What the page said and where, to explain a value. */
export interface Evidence {
  readonly source: ProductSource;
  /** The place: `offers.price`, `product:price:amount`, `span.price`. */
  readonly path: string;
  readonly text: string;
}

/** schema.org's ItemAvailability without the URL prefix. */
export const availabilities = [
  'InStock', 'LimitedAvailability', 'OnlineOnly', 'InStoreOnly', 'PreOrder', 'PreSale', 'BackOrder', 'MadeToOrder',
  'Reserved', 'OutOfStock', 'SoldOut', 'Discontinued',
] as const; // biome-ignore format: a list of words

export type Availability = (typeof availabilities)[number];

const productFields = [
  'title', 'price', 'currency', 'listPrice', 'availability', 'sku', 'gtin', 'brand', 'image',
] as const; // biome-ignore format: a list of words

export type ProductField = (typeof productFields)[number];

/** The product of a page. Null: the page does not say. */
export interface Product {
  readonly title: string | null;
  /** Exact decimal as written. */
  readonly price: string | null;
  /** ISO 4217. */
  readonly currency: string | null;
  /** The price before a reduction. */
  readonly listPrice: string | null;
  readonly availability: Availability | null;
  /** Whether it can be bought. */
  readonly inStock: boolean | null;
  readonly sku: string | null;
  readonly gtin: string | null;
  readonly brand: string | null;
  /** Absolute if it can be resolved. */
  readonly image: string | null;
  readonly evidence: Readonly<Partial<Record<ProductField, Evidence>>>;
}
