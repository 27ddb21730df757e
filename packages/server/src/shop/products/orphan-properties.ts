import { tag } from '../../web/html/tape/html-tag.ts';
import type { LinkedNode } from './linked-data.ts';
import type { ProductPage } from './product-page.ts';
import { textOfNode } from './text-of-node.ts';

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

/** Properties that stand outside of any item, as templates leave them behind: taken together they are one product. */
export function orphanProperties({ tape }: ProductPage): LinkedNode | null {
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
