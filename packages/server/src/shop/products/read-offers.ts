import { evidenceOf, type LinkedNode, nodesOf, textOf } from './linked-data.ts';
import type { Evidence, ProductSource } from './product.ts';
import type { StructuredOffer } from './structured-product.ts';

const maxOffers = 500;
/** schema.org's PriceTypeEnumeration for what is not asked any more. */
const listPriceType = /(?:List|MSRP|SRP|Strikethrough|Regular|Retail)/i;

/** The offers of a product node, those within an AggregateOffer included. */
export function readOffers(
  node: LinkedNode,
  byId: ReadonlyMap<string, LinkedNode>,
  source: ProductSource,
  path: string,
): StructuredOffer[] {
  const offers: StructuredOffer[] = [];
  const visit = (offer: LinkedNode, at: string, depth: number) => {
    if (offers.length >= maxOffers || depth > 3) return;
    const inner = nodesOf(offer.offers ?? offer.offer, byId);
    const own = readOffer(offer, byId, source, at);
    if (own.price !== undefined || inner.length === 0) offers.push(own);
    for (const [index, one] of inner.entries()) visit(one, `${at}.offers[${index}]`, depth + 1);
  };
  const given = nodesOf(node.offers ?? node.Offers ?? node.offer, byId);
  for (const [index, offer] of given.entries())
    visit(offer, `${path}offers${given.length > 1 ? `[${index}]` : ''}`, 0);
  if (offers.length === 0 && node.price !== undefined)
    offers.push(readOffer(node, byId, source, path.slice(0, -1)));
  return offers;
}

function readOffer(
  offer: LinkedNode,
  byId: ReadonlyMap<string, LinkedNode>,
  source: ProductSource,
  path: string,
): StructuredOffer {
  const specifications = nodesOf(offer.priceSpecification, byId);
  const isList = (one: LinkedNode) => listPriceType.test(textOf(one.priceType) ?? '');
  const at = `${path}.priceSpecification`;
  const specified = (list: boolean, names: readonly string[]): Evidence | undefined => {
    for (const one of specifications) {
      if (isList(one) !== list) continue;
      const found = evidenceOf(one, names, source, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    price: evidenceOf(offer, ['price', 'lowPrice'], source, path) ?? specified(false, ['price', 'minPrice']),
    listPrice: specified(true, ['price']),
    currency:
      evidenceOf(offer, ['priceCurrency', 'pricecurrency', 'currency'], source, path) ??
      specified(false, ['priceCurrency', 'currency']),
    availability: evidenceOf(offer, ['availability'], source, path),
    sku: evidenceOf(offer, ['sku'], source, path),
    url: textOf(offer.url),
  };
}
