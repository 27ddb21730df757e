import { textNode } from '../../web/html/tape/html-tag.ts';
import { nameHint } from './name-hints.ts';
import type { Evidence } from './product.ts';
import { flag, type ProductPage } from './product-page.ts';
import { readGtin } from './read-gtin.ts';
import { textOfNode } from './text-of-node.ts';

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

/** A number under which the shop keeps the product: behind its label, or in an element that is called so. */
export function visibleSku(page: ProductPage): Evidence | undefined {
  return labelled(page, skuLabel, nameHint.sku, (value) => code.test(value) && /\d.*\d/.test(value));
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

/** Tables and lists put the value into the next cell. */
function nextText({ tape }: ProductPage, node: number): string {
  const end = Math.min(tape.size, node + 8);
  for (let at = node + 1; at < end; at++)
    if (tape.tags[at] === textNode && (tape.chars[at] as number) > 0) return textOfNode(tape, at, 80);
  return '';
}
