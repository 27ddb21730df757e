/** Where a value was found, in the order in which they are believed. */
export type ProductSource = 'json-ld' | 'microdata' | 'rdfa' | 'opengraph' | 'visible' | 'url';

/** What a page said, and where: enough to see why a value was taken. */
export interface Evidence {
  readonly source: ProductSource;
  /** A way to the place: `offers.price`, `product:price:amount`, `span.price`. */
  readonly path: string;
  readonly text: string;
}

/** schema.org's ItemAvailability, without its address. */
export const availabilities = [
  'InStock', 'LimitedAvailability', 'OnlineOnly', 'InStoreOnly', 'PreOrder', 'PreSale', 'BackOrder', 'MadeToOrder',
  'Reserved', 'OutOfStock', 'SoldOut', 'Discontinued',
] as const; // biome-ignore format: a list of words

export type Availability = (typeof availabilities)[number];

const productFields = [
  'title', 'price', 'currency', 'listPrice', 'availability', 'sku', 'gtin', 'brand', 'image',
] as const; // biome-ignore format: a list of words

export type ProductField = (typeof productFields)[number];

/** What a product page says of its product. Null where it says nothing. */
export interface Product {
  readonly title: string | null;
  /** Exact decimal, as written. */
  readonly price: string | null;
  /** ISO 4217. */
  readonly currency: string | null;
  /** The price before a reduction, where one is shown. */
  readonly listPrice: string | null;
  readonly availability: Availability | null;
  /** Whether it can be bought. */
  readonly inStock: boolean | null;
  readonly sku: string | null;
  readonly gtin: string | null;
  readonly brand: string | null;
  /** Absolute, where the page's address allows. */
  readonly image: string | null;
  readonly evidence: Readonly<Partial<Record<ProductField, Evidence>>>;
}
