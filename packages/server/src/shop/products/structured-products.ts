import { evidenceOf, isNode, type LinkedNode, listOf, nodesOf, textOf, typesOf } from './linked-data.ts';
import type { Evidence, ProductSource } from './product.ts';

/** One offer in the page's structured data. */
export interface StructuredOffer {
  readonly price?: Evidence | undefined;
  readonly listPrice?: Evidence | undefined;
  readonly currency?: Evidence | undefined;
  readonly availability?: Evidence | undefined;
  readonly sku?: Evidence | undefined;
  readonly gtin?: Evidence | undefined;
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
  /** Part of a list, such as related products. */
  readonly listed: boolean;
}

const productTypes = new Set([
  'product', 'productgroup', 'productmodel', 'individualproduct', 'someproducts', 'vehicle', 'car', 'motorcycle', 'book',
  'softwareapplication', 'mobileapplication', 'videogame',
]); // biome-ignore format: a list of words
/** Properties that lead to things other than the page's subject. */
const elsewhere = new Set([
  'isRelatedTo', 'isSimilarTo', 'isAccessoryOrSparePartFor', 'isConsumableFor', 'review', 'reviews', 'aggregateRating',
  'offers', 'itemOffered', 'seller', 'breadcrumb', 'isVariantOf',
]); // biome-ignore format: a list of words
const lists = new Set(['itemListElement', 'hasPart']);
const skus = ['sku', 'productID', 'productId'];
const gtins = ['gtin13', 'gtin', 'gtin14', 'gtin12', 'gtin8', 'ean', 'ean13', 'isbn', 'upc'];
const maxProducts = 500;
const deepest = 40;

/** The products in a page's JSON-LD, or in microdata in the same form. */
export function readStructuredProducts(
  roots: readonly unknown[],
  source: ProductSource,
): StructuredProduct[] {
  const byId = nodesById(roots);
  const products: StructuredProduct[] = [];
  const visit = (value: unknown, path: string, listed: boolean, depth: number) => {
    if (depth > deepest || products.length >= maxProducts) return;
    if (Array.isArray(value)) for (const one of value) visit(one, path, listed, depth + 1);
    if (!isNode(value)) return;
    if (isProduct(value)) {
      products.push(readProduct(value, byId, source, path, listed));
      return;
    }
    for (const product of productsOffered(value, byId))
      products.push(readProduct(product, byId, source, path, listed));
    for (const [key, inner] of Object.entries(value))
      if (!elsewhere.has(key) && typeof inner === 'object')
        visit(inner, key === '@graph' ? path : `${path}${key}.`, listed || lists.has(key), depth + 1);
  };
  visit(roots, '', false, 0);
  return products;
}

function isProduct(node: LinkedNode): boolean {
  return (
    typesOf(node).some((type) => productTypes.has(type)) ||
    (node.offers !== undefined && node.sku !== undefined)
  );
}

/** An offer may hold its product, instead of the other way round. */
function productsOffered(node: LinkedNode, byId: ReadonlyMap<string, LinkedNode>): LinkedNode[] {
  const { itemOffered, ...offer } = node;
  return nodesOf(itemOffered, byId)
    .filter((item) => isProduct(item) && item.offers === undefined)
    .map((item) => ({ ...item, offers: offer }));
}

function readProduct(
  node: LinkedNode,
  byId: ReadonlyMap<string, LinkedNode>,
  source: ProductSource,
  path: string,
  listed: boolean,
): StructuredProduct {
  const own = path === '' ? '' : path.slice(0, -1);
  const variants = nodesOf(node.hasVariant ?? node.model, byId).slice(0, maxProducts);
  const get = (names: readonly string[]) => evidenceOf(node, names, source, own);
  const [variant] = variants;
  const ofVariant = (names: readonly string[]) =>
    variants.length === 1
      ? evidenceOf(variant as LinkedNode, names, source, `${path}hasVariant[0]`)
      : undefined;
  const offers = [
    ...readOffers(node, byId, source, path),
    ...variants.flatMap((one, i) => readOffers(one, byId, source, `${path}hasVariant[${i}].`)),
  ];
  const ofOffers = (field: 'sku' | 'gtin') => offers.find((offer) => offer[field] !== undefined)?.[field];
  return {
    title: get(['name', 'title']),
    url: textOf(node.url) ?? textOf(node['@id']),
    sku: get(skus) ?? ofVariant(skus) ?? get(['productGroupID']) ?? ofOffers('sku'),
    gtin: get(gtins) ?? ofVariant(gtins) ?? ofOffers('gtin'),
    brand: get(['brand', 'manufacturer']),
    image: imageOf(node, byId, source, own),
    offers,
    listed,
  };
}

function imageOf(
  node: LinkedNode,
  byId: ReadonlyMap<string, LinkedNode>,
  source: ProductSource,
  path: string,
): Evidence | undefined {
  const at = path === '' ? 'image' : `${path}.image`;
  for (const image of listOf(node.image)) {
    const [object] = nodesOf(image, byId);
    const text =
      object === undefined ? textOf(image) : textOf(object.url ?? object.contentUrl ?? object['@id']);
    if (text !== undefined) return { source, path: at, text };
  }
  return undefined;
}

function nodesById(roots: readonly unknown[]): Map<string, LinkedNode> {
  const byId = new Map<string, LinkedNode>();
  const visit = (value: unknown, depth: number) => {
    if (depth > deepest || typeof value !== 'object' || value === null) return;
    if (isNode(value)) {
      const id = value['@id'];
      if (typeof id === 'string' && Object.keys(value).length > 1 && !byId.has(id)) byId.set(id, value);
    }
    for (const inner of Object.values(value)) visit(inner, depth + 1);
  };
  visit(roots, 0);
  return byId;
}

const maxOffers = 500;
/** schema.org's PriceTypeEnumeration values for former and recommended prices. */
const listPriceType = /(?:List|MSRP|SRP|Strikethrough|Regular|Retail)/i;

/** The offers of a product node, including those inside an AggregateOffer. */
function readOffers(
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
  const all = nodesOf(offer.priceSpecification, byId);
  const general = all.filter((one) => !isSpecial(one));
  const specifications = general.length > 0 ? general : all;
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
    gtin: evidenceOf(offer, gtins, source, path),
    url: textOf(offer.url),
  };
}

/** Prices of a measure, and those of members. */
function isSpecial(specification: LinkedNode): boolean {
  return specification.referenceQuantity !== undefined || specification.validForMemberTier !== undefined;
}
