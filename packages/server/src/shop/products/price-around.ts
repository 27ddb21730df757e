import { textNode } from '../../web/html/tape/html-tag.ts';
import { type ParsedPrice, parsePrice, splitPrices } from '../prices/parse-price.ts';
import { nameHint } from './name-hints.ts';
import { nearHints } from './price-context.ts';
import { type ProductPage, textOfNode } from './product-page.ts';

/** A price and the smallest node that shows all of it. */
export interface ShownPrice {
  readonly node: number;
  readonly text: string;
  readonly price: ParsedPrice & { readonly amount: string };
}

/** Longest text of a price with its label. */
const longestPrice = 40;
const longestText = 120;
const longestAmount = 14;
const climbs = 6;

/** The prices that a text belongs to; several if it names them in one line. */
export function pricesAround(page: ProductPage, textAt: number, region: string | null): ShownPrice[] {
  const text = textOfNode(page.tape, textAt, longestText + 1);
  const parts = splitPrices(text);
  if (parts.length > 1) {
    const read = parts.map((part) => readText(page, textAt, part.trim(), region));
    if (read.every((shown) => shown !== null)) return read;
  }
  const shown = priceAround(page, textAt, region);
  return shown === null ? [] : [shown];
}

/** The price that a text with digits belongs to: its own if complete, else that of a surrounding element with currency or cents. */
function priceAround(page: ProductPage, textAt: number, region: string | null): ShownPrice | null {
  const { tape } = page;
  let best = readAt(page, textAt, region);
  let lastText = best?.text;
  let node = tape.parents[textAt] as number;
  for (let steps = 0; node >= 0 && steps < climbs; node = tape.parents[node] as number, steps++) {
    if ((tape.chars[node] as number) > longestPrice || (best !== null && isComplete(best))) break;
    const text = textOfNode(tape, node, longestText + 1);
    if (text === lastText) continue;
    lastText = text;
    const wider = readText(page, node, text, region);
    if (wider === null) continue;
    // More text must complete the price, not add another one.
    if (best !== null && !completes(wider, best)) break;
    best = wider;
  }
  return best;
}

function isComplete({ price }: ShownPrice): boolean {
  return price.currencyCodes.length > 0 && price.amount.includes('.');
}

function completes(wider: ShownPrice, best: ShownPrice): boolean {
  const whole = (amount: string) => amount.split('.')[0];
  if (whole(wider.price.amount) !== whole(best.price.amount)) return false;
  const moreDigits = wider.price.amount.length > best.price.amount.length;
  return moreDigits || (best.price.currencyCodes.length === 0 && wider.price.currencyCodes.length > 0);
}

function readAt(page: ProductPage, node: number, region: string | null): ShownPrice | null {
  return readText(page, node, textOfNode(page.tape, node, longestText + 1), region);
}

function readText(page: ProductPage, node: number, text: string, region: string | null): ShownPrice | null {
  if (text.length > longestText) return null;
  const price = parsePrice(text, { region });
  const { amount, currencyText, currencyCodes } = price;
  if (amount === null || amount.length > longestAmount) return null;
  const shown = { node, text, price: { ...price, amount } };
  if (currencyCodes.length > 0 && currencyText !== null && isOnlyCurrency(currencyText)) return shown;
  // Without a currency, or with one that may be a size or a weight, only an element named as a price counts.
  if ((nearHints(page, node) & nameHint.price) === 0) return null;
  return /^\D{0,12}[\d.,' ]+\D{0,12}$/.test(text) && !isShare(page, node) ? shown : null;
}

/** Whether the next text starts with `%`. */
function isShare({ tape }: ProductPage, node: number): boolean {
  const end = tape.ends[node] as number;
  for (let at = end; at < Math.min(tape.size, end + 3); at++)
    if (tape.tags[at] === textNode) return /^\s*%/.test(textOfNode(tape, at, 8));
  return false;
}

/** A single letter may be a size; a sign of a script without letters is no word. */
function isOnlyCurrency(mark: string): boolean {
  return !/^[a-z\p{Script=Cyrillic}\p{Script=Greek}]$/iu.test(mark) && !/^\p{L}\p{Ll}{3,}$/u.test(mark);
}

export function mayShowPrice({ tape }: ProductPage, node: number): boolean {
  if (tape.tags[node] !== textNode || (tape.chars[node] as number) > longestPrice * 2) return false;
  return hasDigit.test(tape.html.slice(tape.starts[node] as number, tape.stops[node] as number));
}

const hasDigit = /\d|[٠-٩۰-۹०-९০-৯๐-๙０-９]/;
