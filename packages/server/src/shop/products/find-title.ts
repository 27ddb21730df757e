import { isHeading, tag } from '../../web/html/tape/html-tag.ts';
import { nameHint } from './name-hints.ts';
import { flag, type ProductPage, textOfNode } from './product-page.ts';

/** Per kind: menus contain hundreds of elements named title, before the product. */
const maxCandidates = 200;
const longestTitle = 300;
const bonus = { h1: 0.35, heading: 0.1, named: 0 };

interface VisibleTitle {
  readonly node: number;
  readonly text: string;
}

/** The element with the product name: the heading most similar to the names that the page declares. */
export function findTitle(page: ProductPage, declared: readonly string[]): VisibleTitle | null {
  const { tape, names, flags } = page;
  const wanted = declared.map(wordsOf);
  let best: VisibleTitle | null = null;
  let bestScore = 0;
  const seen = { h1: 0, heading: 0, named: 0 };
  for (let node = 0; node < tape.size; node++) {
    const id = tape.tags[node] as number;
    const called = ((names[node] as number) & nameHint.title) !== 0;
    const kind = id === tag.h1 ? 'h1' : isHeading[id] === 1 ? 'heading' : 'named';
    if ((kind === 'named' && !called) || seen[kind] >= maxCandidates) continue;
    const text = textOfNode(tape, node, longestTitle);
    if (text === '') continue;
    seen[kind]++;
    const words = wordsOf(text);
    const overlap = Math.max(0, ...wanted.map((other) => wordOverlap(words, other)));
    const linked = ((flags[node] as number) & flag.linked) !== 0;
    const score = overlap + bonus[kind] - (linked ? 0.3 : 0);
    if (score > bestScore) {
      best = { node, text };
      bestScore = score;
    }
  }
  return best;
}

/** Marks the ancestors of the title. Call before spreadFlags. */
export function markAround({ tape, flags }: ProductPage, node: number): void {
  for (let at = node; at >= 0; at = tape.parents[at] as number)
    flags[at] = (flags[at] as number) | flag.aroundTitle;
}

/** The words of a text in lower case without accents. */
export function wordsOf(text: string): Set<string> {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return new Set(plain.match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** The Dice coefficient: 1 for the same words, 0 for none in common. */
export function wordOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common++;
  return (2 * common) / (a.size + b.size);
}
