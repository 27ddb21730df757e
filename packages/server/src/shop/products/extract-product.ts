import { cutText } from '../../web/html/page-text.ts';
import { buyButtons, canBeBought, decideAvailability, visibleStock } from './availability.ts';
import { decideListPrice, decidePrice } from './decide-price.ts';
import { declaredProducts } from './declared-products.ts';
import { findTitle, markAround } from './find-title.ts';
import { pageRegion } from './page-region.ts';
import { priceOptions, withCurrencyDigits } from './price-options.ts';
import type { Evidence, Product, ProductField } from './product.ts';
import { labelledSku, namedSku, readGtin, skuInUrl, visibleGtin } from './product-codes.ts';
import { readProductPage, spreadFlags } from './read-product-page.ts';
import type { StructuredProduct } from './structured-products.ts';
import { visiblePrices } from './visible-prices.ts';

const longestField = 1_024;

/**
 * The product of a page, from JSON-LD, microdata, OpenGraph and the visible page, in this order; `evidence` names the origin of each
 * value. Never throws; one pass, linear time.
 */
export function extractProduct(html: string, url: string): Product {
  const page = readProductPage(html, url);
  const pageNames = [page.title, page.head.openGraph.first('og:title')].filter((name) => name != null);
  const declared = declaredProducts(page, pageNames);
  const names = declared.flatMap(({ title }) => (title === undefined ? [] : [title.text]));
  const title = findTitle(page, [...names, ...pageNames]);
  if (title !== null) markAround(page, title.node);
  spreadFlags(page);

  const region = pageRegion(url, page.head.language);
  const buttons = buyButtons(page);
  const visible = visiblePrices(page, title?.node ?? null, buttons, region);
  const price = decidePrice(
    declared.map(({ offers }) => priceOptions(offers, region)),
    visible,
  );
  const list = price && decideListPrice(price, visible, region);
  const stock = decideAvailability(declared, visibleStock(page, buttons));

  const first = (field: 'title' | 'sku' | 'brand' | 'image') =>
    declared.find((product) => product[field] !== undefined)?.[field];
  const shownTitle: Evidence | undefined = title
    ? { source: 'visible', path: 'heading', text: title.text }
    : page.title
      ? { source: 'visible', path: 'title', text: page.title }
      : undefined;
  const found: Partial<Record<ProductField, Evidence | undefined>> = {
    title: first('title') ?? shownTitle,
    price: price?.evidence,
    currency: price?.currencyEvidence,
    listPrice: list?.evidence,
    availability: stock?.evidence,
    sku: labelledSku(page) ?? first('sku') ?? namedSku(page) ?? skuInUrl(url),
    gtin: declaredGtin(declared) ?? visibleGtin(page),
    brand: first('brand'),
    image: first('image'),
  };
  const text = (field: ProductField) => {
    const value = found[field]?.text;
    return value === undefined ? null : cutText(value, longestField);
  };
  const currency = price?.currency ?? null;
  const image = text('image');
  return {
    title: text('title'),
    price: price && withCurrencyDigits(price.amount, currency),
    currency,
    listPrice: list && withCurrencyDigits(list.amount, currency),
    availability: stock?.availability ?? null,
    inStock: stock && canBeBought(stock.availability),
    sku: text('sku'),
    gtin: readGtin(text('gtin')),
    brand: text('brand'),
    image: image && (page.resolve(image) ?? image),
    evidence: Object.fromEntries(
      Object.entries(found).flatMap(([field, one]) =>
        one === undefined ? [] : [[field, { ...one, text: cutText(one.text, longestField) }]],
      ),
    ),
  };
}

/** The first declared GTIN with a valid check digit: shops put all kinds of numbers into these properties. */
function declaredGtin(declared: readonly StructuredProduct[]): Evidence | undefined {
  return declared.find(({ gtin }) => gtin !== undefined && readGtin(gtin.text) !== null)?.gtin;
}
