import { textNode } from '../../web/html/tape/html-tag.ts';
import { nameHint } from './name-hints.ts';
import { flag, type ProductPage, textOfNode } from './product-page.ts';

/** Amounts that are not the product's price: what is saved, carriage, instalments, thresholds, prices of a measure. */
export const asideWords =
  /\bsav(?:e|ings?)\b|\boff\b|\bshipping|\bdelivery|\bpostage|\bp&p\b|\bfreight|\bimport (?:fees|charges)|\bper (?:month|week|day|unit|100|1)|\/ ?mo(?:nth|\b)|\bmonthly|\ba month|\bdeposit|\bpoints?\b|\bcash ?back|\bcoupon|\bvoucher|\bgift|\breviews?\b|\bspar(?:en|st|t)?\b|\bversand|\blivraison|\b[ée]conom|\benv[íi]os?\b|\bahorr|\bfrete|\bspedizione|\brisparmi|\bverzend|\bfrakt|\bfragt|\bdostaw|\bdoprav|\bszállít|доставк|\bskonto|\bmonat|\braten?\b|\bcuotas?\b|\bparcelas?\b|\/ ?mois|\/ ?mes\b|\/ ?mês|\d ?x (?:de )?\p{Sc}|\b(?:over|above|ab|dès|desde|acima de) \p{Sc}?\d|\borders? (?:over|of)|\bsubscri|\btrade-?in|\binsurance|\bwarranty|\/ ?(?:100 ?)?(?:g|kg|ml|l|oz|lb|m²|m2|sq|ft)\b/iu;

/** What stands before a price that is asked no more, or only recommended. */
const listWords =
  /(?:^|\W)(?:was|rrp|msrp|srp|list price|regular price|reg|orig(?:inal)?(?:ly)?(?: price)?|compare at|retail(?: price)?|before|uvp|statt|bisher|vorher|zuvor|au lieu de|prix (?:conseill[ée]|barr[ée])|antes|precio (?:anterior|normal)|pvpr?|de:|prezzo di listino|listino|anziché|adviesprijs|van|vejl|f[öo]rr|tidigare|ord(?:\.|inarie)? ?pris|b[ěe][žz]n[áa] cena|p[ůu]vodn[íiě]|pôvodn|stara cena|cena regularna|najni[žz]sza|eredeti ár|старая цена|стара ціна|定価|原价|原價|市场价|정가)(?=[^\p{L}\p{N}]|$)/iu;

export const priceWords =
  /\b(?:price|preis|prix|precio|pre[çc]o|prezzo|prijs|pris|cena|hinta|ár)\b|цена|ціна|价格|價格|価格|가격/iu;

/** Names of an element and of those close around it, the nearer the surer. */
export function nearHints({ tape, names }: ProductPage, node: number): number {
  let hints = 0;
  let at = tape.tags[node] === textNode ? (tape.parents[node] as number) : node;
  for (let steps = 0; at >= 0 && steps < 4; at = tape.parents[at] as number, steps++) {
    const own = names[at] as number;
    // A box around several prices says nothing of one of them.
    hints |= steps < 2 ? own : own & nameHint.price;
  }
  return hints;
}

/** The words right before a price, in the same small part of the page: `Was`, `Postage:`. */
export function labelBefore({ tape }: ProductPage, node: number): string {
  let around = node;
  for (let steps = 0; steps < 4 && (tape.parents[around] as number) >= 0; steps++)
    around = tape.parents[around] as number;
  for (let at = node - 1, steps = 0; at > around && steps < 12; at--, steps++) {
    if (tape.tags[at] !== textNode || tape.chars[at] === 0) continue;
    const text = textOfNode(tape, at, 80);
    return text.length <= 30 && !/\d/.test(text) ? text : '';
  }
  return '';
}

/** Whether a price is shown as the one before the reduction. */
export function isListPrice(page: ProductPage, node: number, text: string, label: string): boolean {
  if (((page.flags[node] as number) & flag.struck) !== 0) return true;
  if (listWords.test(text) || listWords.test(label)) return true;
  const { tape, names } = page;
  let at = tape.tags[node] === textNode ? (tape.parents[node] as number) : node;
  for (let steps = 0; at >= 0 && steps < 3; at = tape.parents[at] as number, steps++) {
    const own = names[at] as number;
    if ((own & nameHint.current) !== 0) return false;
    if ((own & nameHint.list) !== 0) return true;
  }
  const end = Math.min(tape.ends[node] as number, node + 20);
  for (let inner = node + 1; inner < end; inner++)
    if (tape.tags[inner] !== textNode && ((page.flags[inner] as number) & flag.struck) !== 0) return true;
  return false;
}
