import { parseUrl } from '@holdfast/contract';
import type { Evidence } from './product.ts';

const parameters = ['sku', 'pid', 'productid', 'product_id', 'itemid', 'item_id', 'asin', 'article', 'skuid'];

/** The shop's number of the product, as most shops put it into the address: a parameter, or a code in the last part. */
export function skuInUrl(url: string): Evidence | undefined {
  const parsed = parseUrl(url);
  if (!parsed) return undefined;
  const { pathname, searchParams } = parsed;
  for (const [name, value] of searchParams)
    if (parameters.includes(name.toLowerCase()) && /^[\w./-]{3,40}$/.test(value))
      return { source: 'url', path: name, text: value };
  const parts = pathname.split('/').filter((part) => part !== '');
  for (const part of parts.toReversed().slice(0, 2)) {
    const bare = decoded(part).replace(/\.(?:html?|php|aspx?|jsp)$/i, '');
    const text =
      /^(?=[A-Z\d]*\d)[A-Z\d]{6,16}$/.exec(bare)?.[0] ?? /(?:^|[-_.]|[-_][a-z])(\d{5,14})$/i.exec(bare)?.[1];
    if (text !== undefined) return { source: 'url', path: 'path', text };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
