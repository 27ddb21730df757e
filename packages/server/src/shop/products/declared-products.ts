import type { OpenGraphReader } from '../../web/html/page-head.ts';
import { tag } from '../../web/html/tape/html-tag.ts';
import { wordOverlap, wordsOf } from './find-title.ts';
import { type LinkedNode, microdataNodes } from './linked-data.ts';
import type { Evidence } from './product.ts';
import { type ProductPage, textOfNode } from './product-page.ts';
import { readStructuredProducts, type StructuredProduct } from './structured-products.ts';

/** The product as the page declares it, once for each syntax in use, the most trusted first. */
export function declaredProducts(page: ProductPage, pageNames: readonly string[]): StructuredProduct[] {
  const isPage = (url: string) => samePath(page.resolve(url), page.url);
  const choose = (products: readonly StructuredProduct[]) => chooseStructured(products, pageNames, isPage);
  const jsonLd = choose(readStructuredProducts(page.jsonLd, 'json-ld'));
  const items = readStructuredProducts(microdataNodes(page.microdata), 'microdata');
  const microdata = choose(items);
  const rdfa = choose(readStructuredProducts(page.rdfa, 'rdfa'));
  const orphan = items.length === 0 ? orphanProperties(page) : null;
  const orphaned = orphan && choose(readStructuredProducts([orphan], 'microdata'));
  return [jsonLd, microdata ?? orphaned, rdfa, openGraphProduct(page.head.openGraph)].filter(
    (one) => one !== null,
  );
}

/** Equal apart from query and fragment. */
function samePath(a: string | null, b: string): boolean {
  const bare = (url: string) => url.replace(/[?#].*$/, '').replace(/\/$/, '');
  return a !== null && bare(a) === bare(b);
}

/** Products with names this similar are variants: sizes and colours. */
const sameProduct = 0.75;
/** A product whose name is less similar to the page's is a different one. */
const likeness = 0.15;

/** The product that the page is about, with the offers of its variants: best match of the page's name, preferably with a price. */
function chooseStructured(
  products: readonly StructuredProduct[],
  pageNames: readonly string[],
  isPage: (url: string) => boolean,
): StructuredProduct | null {
  const names = pageNames.map(wordsOf);
  const scored = products.map((product, index) => {
    const words = wordsOf(product.title?.text ?? '');
    const overlap = Math.max(0, ...names.map((name) => wordOverlap(words, name)));
    const priced = product.offers.some(({ price }) => price !== undefined);
    const here = product.url !== undefined && isPage(product.url);
    const score = 3 * overlap + (priced ? 2 : 0) + (here ? 1 : 0) - (product.listed ? 3 : 0) - index / 1_000;
    return { product, words, score, own: here || overlap >= likeness };
  });
  const best = scored.reduce<(typeof scored)[number] | null>(
    (top, one) => (top === null || one.score > top.score ? one : top),
    null,
  );
  if (best === null) return null;
  // All of them are other products.
  if (!best.own && (best.product.listed || products.length > 1)) return null;
  const variants = scored.filter(
    ({ product, words }) =>
      product !== best.product &&
      product.listed === best.product.listed &&
      wordOverlap(words, best.words) >= sameProduct,
  );
  const offers = [best.product, ...variants.map(({ product }) => product)].flatMap(
    (product) => product.offers,
  );
  return { ...best.product, offers };
}

/** The product in OpenGraph tags and their variants. */
function openGraphProduct(openGraph: OpenGraphReader): StructuredProduct {
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

const wanted = new Set([
  'name',
  'price',
  'priceCurrency',
  'availability',
  'sku',
  'productID',
  'gtin13',
  'gtin',
  'brand',
]);

/** Microdata properties outside of any item, as broken templates leave them. Together they describe one product. */
function orphanProperties({ tape }: ProductPage): LinkedNode | null {
  const product: Record<string, string> = {};
  for (const [node, { microdata }] of tape.details) {
    const name = microdata?.props?.trim();
    if (microdata === undefined || name === undefined || !wanted.has(name) || product[name] !== undefined)
      continue;
    const isAddress = tape.tags[node] === tag.link || tape.tags[node] === tag.a;
    const text = microdata.content ?? (isAddress ? microdata.value : textOfNode(tape, node, 200));
    if (text) product[name] = text;
  }
  return product.price === undefined ? null : { '@type': 'Product', ...product, offers: product };
}
