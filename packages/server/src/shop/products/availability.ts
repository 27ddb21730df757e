import { tag, tagSet, textNode } from '../../web/html/tape/html-tag.ts';
import { buyWords, soldOutWords } from './buy-words.ts';
import { nameHint } from './name-hints.ts';
import type { Evidence } from './product.ts';
import { flag, type ProductPage } from './product-page.ts';
import { textOfNode } from './text-of-node.ts';

/** Sizes and colours that are sold out say nothing of the others. */
const variants = tagSet('option', 'select', 'li', 'label', 'td');
const longestNotice = 80;

/** The buttons that put the product into a cart. */
export function buyButtons({ tape, flags, names, values }: ProductPage): number[] {
  const buttons: number[] = [];
  for (let node = 0; node < tape.size && buttons.length < 20; node++) {
    const id = tape.tags[node] as number;
    const own = flags[node] as number;
    if (id !== tag.button && id !== tag.a && id !== tag.input && (own & flag.button) === 0) continue;
    if ((own & (flag.elsewhere | flag.disabled)) !== 0 || (tape.chars[node] as number) > longestNotice)
      continue;
    const shown = id === tag.input ? '' : textOfNode(tape, node, longestNotice);
    const text = shown === '' ? (values.get(node) ?? '') : shown;
    if (soldOutWords.test(text)) continue;
    if (buyWords.test(text) || ((names[node] as number) & nameHint.buy) !== 0) buttons.push(node);
  }
  return buttons;
}

/** What the page shows of its stock: a button that buys, or else a notice that there is none. */
export function visibleStock(page: ProductPage, buttons: readonly number[]): Evidence | null {
  const { tape, flags } = page;
  const button = buttons.find((node) => ((flags[node] as number) & flag.hidden) === 0);
  if (button !== undefined) {
    const text = textOfNode(tape, button, longestNotice) || page.values.get(button) || '';
    return { source: 'visible', path: 'buy button', text: text || 'InStock' };
  }
  for (let node = 0; node < tape.size; node++) {
    if (tape.tags[node] !== textNode || (tape.chars[node] as number) > longestNotice) continue;
    if (((flags[node] as number) & (flag.elsewhere | flag.hidden)) !== 0) continue;
    const text = textOfNode(tape, node, longestNotice);
    if (soldOutWords.test(text) && !isOfVariant(page, node))
      return { source: 'visible', path: 'notice', text };
  }
  return null;
}

function isOfVariant({ tape }: ProductPage, node: number): boolean {
  for (let at = node, steps = 0; at >= 0 && steps < 4; at = tape.parents[at] as number, steps++)
    if (variants[tape.tags[at] as number] === 1) return true;
  return false;
}
