import type { MicrodataItem } from '../../web/html/extracted-page.ts';
import type { PageHead } from '../../web/html/page-head.ts';
import { decodeText } from '../../web/html/page-text.ts';
import { textNode } from '../../web/html/tape/html-tag.ts';
import type { Tape } from '../../web/html/tape/tape.ts';
import type { LinkedNode } from './linked-data.ts';

/** A product page after one pass: its declarations, and its elements and texts in order. */
export interface ProductPage {
  readonly url: string;
  readonly resolve: (href: string) => string | null;
  readonly head: PageHead;
  readonly title: string | null;
  readonly jsonLd: readonly object[];
  readonly microdata: readonly MicrodataItem[];
  readonly rdfa: readonly LinkedNode[];
  readonly tape: Tape;
  /** By node: name hints. */
  readonly names: Int32Array;
  /** By node: its own flags and, after spreadFlags, those of its ancestors. */
  readonly flags: Int32Array;
  /** Texts from attributes: `data-price`, `aria-label`, a button's `value`. */
  readonly values: ReadonlyMap<number, string>;
  /** Selectors of elements whose names give a hint. */
  readonly labels: ReadonlyMap<number, string>;
}

export const flag = {
  /** Inside `<del>`, `<s>` or a strike-through style. */
  struck: 1,
  hidden: 2,
  /** Inside a link to another page. */
  linked: 4,
  /** Inside navigation, a footer or a list of other products. */
  elsewhere: 8,
  /** Around the product's name. */
  aroundTitle: 16,
  button: 32,
  disabled: 64,
} as const;

/** Only short texts are needed; longer ones would be read again for every surrounding element. */
const maxNodes = 400;

/** The text of a node on one line. Digits of adjacent elements are separated: `19<sup>95</sup>` is not 1995. */
export function textOfNode(tape: Tape, node: number, limit: number): string {
  const { tags, ends, starts, stops, html } = tape;
  const end = Math.min(ends[node] as number, node + maxNodes);
  let text = '';
  for (let at = node; at < end && text.length < limit; at++) {
    if (tags[at] !== textNode) continue;
    const start = starts[at] as number;
    const piece = decodeText(html.slice(start, Math.min(stops[at] as number, start + limit * 4)));
    if (endsInDigit(text) && startsWithDigit(piece)) text += ' ';
    text += piece;
  }
  return text
    .replace(/[\s\u200b]+/g, ' ')
    .trim()
    .slice(0, limit);
}

const endsInDigit = (text: string) => isDigit(text.charCodeAt(text.length - 1));
const startsWithDigit = (text: string) => isDigit(text.charCodeAt(0));
const isDigit = (code: number) => code >= 48 && code <= 57;
