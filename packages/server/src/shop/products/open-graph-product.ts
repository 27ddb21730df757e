import type { OpenGraphReader } from '../../web/html/page-head.ts';
import type { Evidence } from './product.ts';
import type { StructuredProduct } from './structured-product.ts';

/** What the product tags of OpenGraph and its relatives say, in the shape of the others. */
export function openGraphProduct(openGraph: OpenGraphReader): StructuredProduct {
  const get = (...names: string[]): Evidence | undefined => {
    for (const path of names) {
      const text = openGraph.first(path)?.trim();
      if (text) return { source: 'opengraph', path, text };
    }
    return undefined;
  };
  const price = get(
    'product:sale_price:amount',
    'product:price:amount',
    'og:price:amount',
    'product:price',
    'og:price',
  );
  const full = get('product:original_price:amount', 'og:price:standard_amount', 'product:price:amount');
  return {
    title: get('og:title'),
    url: get('og:url')?.text,
    sku: get('product:retailer_item_id', 'product:sku', 'product:mfr_part_no'),
    gtin: get('product:ean', 'product:upc', 'product:isbn', 'product:gtin', 'og:upc', 'og:isbn'),
    brand: get('product:brand', 'og:brand'),
    image: get('og:image:secure_url', 'og:image', 'og:image:url'),
    offers: [
      {
        price,
        listPrice: full?.path === price?.path ? undefined : full,
        currency: get('product:sale_price:currency', 'product:price:currency', 'og:price:currency'),
        availability: get('product:availability', 'og:availability'),
      },
    ],
    listed: false,
  };
}
