import { parseUrl } from '@holdfast/contract';
import { textNode } from '../../web/html/tape/html-tag.ts';
import { nameHint } from './name-hints.ts';
import type { Evidence } from './product.ts';
import { flag, type ProductPage, textOfNode } from './product-page.ts';

const separator = '[\\s.:#№°º)-]*';
const skuLabel = new RegExp(
  `^\\W*(?:sku|asin|item (?:no|number|code|id)|item ?#|product (?:code|id|no|number)|art(?:ikel|icle)?[ .-]*(?:nr|no|nummer|number)|bestell[ -]?(?:nr|nummer)|ref(?:er[eê]ncia|erenz|erenza)?|r[ée]f(?:[ée]rence)?|c[óo]d(?:igo|ice)?(?: (?:do|del|de) (?:produto|producto|item))?|k[óo]d(?: produktu| tovaru)?|katalogov[ée] [čc][íi]slo|indeks|style (?:no|number|#)|varenr|tuotenumero|cikkszám|артикул|код товара|код|货号|商品番号)(?![\\p{L}])${separator}`,
  'iu',
);
const gtinLabel = new RegExp(
  `^\\W*(?:ean|gtin|upc|isbn|barcode)(?:-?1[0-4]|-?8)?(?![\\p{L}])${separator}`,
  'iu',
);
const code = /^[\p{L}\d][\p{L}\d./_-]{2,39}$/u;

const isSku = (value: string) => code.test(value) && /\d.*\d/.test(value);

/** The product number shown to customers. Structured data often has an internal one, or that of a size. */
export function labelledSku(page: ProductPage): Evidence | undefined {
  return labelled(page, skuLabel, 0, isSku);
}

/** A product number in an element named as one. */
export function namedSku(page: ProductPage): Evidence | undefined {
  return labelled(page, skuLabel, nameHint.sku, isSku);
}

export function visibleGtin(page: ProductPage): Evidence | undefined {
  return labelled(page, gtinLabel, 0, (value) => readGtin(value) !== null);
}

function labelled(
  page: ProductPage,
  label: RegExp,
  name: number,
  isCode: (value: string) => boolean,
): Evidence | undefined {
  const { tape, flags, names } = page;
  for (let node = 0; node < tape.size; node++) {
    if (tape.tags[node] !== textNode || (tape.chars[node] as number) > 60) continue;
    if (((flags[node] as number) & flag.elsewhere) !== 0) continue;
    const text = textOfNode(tape, node, 80);
    const found = label.exec(text)?.[0];
    const parent = tape.parents[node] as number;
    const called = parent >= 0 && ((names[parent] as number) & name) !== 0;
    if (found === undefined && !called) continue;
    const rest = found === undefined ? text : text.slice(found.length);
    const value = (rest === '' ? nextText(page, node) : rest).split(/[\s,;(]/)[0] ?? '';
    if (isCode(value)) return { source: 'visible', path: found?.trim() || 'sku', text: value };
  }
  return undefined;
}

/** In tables and lists, the value is in the next cell. */
function nextText({ tape }: ProductPage, node: number): string {
  const end = Math.min(tape.size, node + 8);
  for (let at = node + 1; at < end; at++)
    if (tape.tags[at] === textNode && (tape.chars[at] as number) > 0) return textOfNode(tape, at, 80);
  return '';
}

const parameters = ['sku', 'pid', 'productid', 'product_id', 'itemid', 'item_id', 'asin', 'article', 'skuid'];

/** The shop's product number in the URL: a parameter, or a code in the last parts of the path. */
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

/** A GTIN of 8, 12, 13 or 14 digits with a valid check digit, or null. An ISBN-10 is converted to its GTIN. */
export function readGtin(text: string | null): string | null {
  const digits = text?.replace(/[\s-]/g, '').replace(/^isbn:?/i, '') ?? '';
  if (/^\d{9}[\dX]$/i.test(digits)) return withCheckDigit(`978${digits.slice(0, 9)}`);
  if (!/^(?:\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return null;
  return withCheckDigit(digits.slice(0, -1)) === digits ? digits : null;
}

/** GS1 check digit: weights 3 and 1 alternate from the right. */
function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits.at(-1 - i)) * (i % 2 === 0 ? 3 : 1);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
