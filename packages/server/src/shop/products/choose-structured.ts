import type { StructuredProduct } from './structured-product.ts';
import { wordOverlap, wordsOf } from './word-overlap.ts';

/** Names this alike are variants of one product: sizes and colours of it. */
const sameProduct = 0.75;
/** A product whose name has less than this in common with the page's is another one. */
const likeness = 0.15;

/**
 * The product that the page is about, with the offers of its variants: the one whose name agrees best with the page's,
 * and that has a price. Null if there is none.
 */
export function chooseStructured(
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
  // Other products, and none of them this page's.
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
