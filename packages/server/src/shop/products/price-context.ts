import { textNode } from '../../web/html/tape/html-tag.ts';
import { nameHint } from './name-hints.ts';
import { listWords } from './price-words.ts';
import { flag, type ProductPage, textOfNode } from './product-page.ts';

/** Name hints of an element and its close ancestors; of farther ones, only that they are a price. */
export function nearHints({ tape, names }: ProductPage, node: number): number {
  let hints = 0;
  let at = tape.tags[node] === textNode ? (tape.parents[node] as number) : node;
  for (let steps = 0; at >= 0 && steps < 4; at = tape.parents[at] as number, steps++) {
    const own = names[at] as number;
    // A box around several prices says little about one of them.
    hints |= steps < 2 ? own : own & nameHint.price;
  }
  return hints;
}

/** The text right before a price in the same small part of the page: `Was`, `Postage:`. */
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

/** Whether a price is shown as the price before a reduction. */
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
