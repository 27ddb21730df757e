import { decodeText } from '../../web/html/page-text.ts';
import { textNode } from '../../web/html/tape/html-tag.ts';
import type { Tape } from '../../web/html/tape/tape.ts';

/** Short texts are asked for; what spreads over more nodes is none, and would be read again for every element around. */
const maxNodes = 400;

/**
 * The text of a node on one line. Digits that touch across elements are set apart: `19<sup>95</sup>` is not 1995.
 */
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
