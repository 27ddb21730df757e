import { chooseStructured } from './choose-structured.ts';
import { microdataNodes } from './microdata-nodes.ts';
import { openGraphProduct } from './open-graph-product.ts';
import { orphanProperties } from './orphan-properties.ts';
import type { ProductPage } from './product-page.ts';
import type { StructuredProduct } from './structured-product.ts';
import { readStructuredProducts } from './structured-products.ts';

/** What the page declares of its product, one answer for each syntax that it uses, in the order of belief. */
export function declaredProducts(page: ProductPage, pageNames: readonly string[]): StructuredProduct[] {
  const isPage = (url: string) => samePath(page.resolve(url), page.url);
  const choose = (products: readonly StructuredProduct[]) => chooseStructured(products, pageNames, isPage);
  const jsonLd = choose(readStructuredProducts(page.jsonLd, 'json-ld'));
  const items = readStructuredProducts(microdataNodes(page.microdata), 'microdata');
  const microdata = choose(items);
  const orphan = items.length === 0 ? orphanProperties(page) : null;
  const orphaned = orphan && choose(readStructuredProducts([orphan], 'microdata'));
  return [jsonLd, microdata ?? orphaned, openGraphProduct(page.head.openGraph)].filter((one) => one !== null);
}

/** The same page, whatever its query and fragment. */
function samePath(a: string | null, b: string): boolean {
  const bare = (url: string) => url.replace(/[?#].*$/, '').replace(/\/$/, '');
  return a !== null && bare(a) === bare(b);
}
