import { collapseSpace } from '../collapse-space.ts';
import type { LeftOutPart, LeftOutReason } from '../extracted-page.ts';
import { tag, tagName, textNode } from '../tape/html-tag.ts';
import { decodeText } from '../tape/tag-attributes.ts';
import type { Tape } from '../tape/tape.ts';
import { hint } from './class-hints.ts';

const shownLength = 120;

/** Tells each part of the page that is not in its content, in the page's order. Parts without text are nobody's loss. */
export function tellLeftOut(tape: Tape, root: number, onLeftOut: (part: LeftOutPart) => void): void {
  const { ends, hints, tags, size } = tape;
  const end = root < 0 ? size : (ends[root] as number);
  for (let node = 0; node < size; node++) {
    if ((tags[node] as number) === textNode) {
      if (isOutside(node)) tell(node, 'outside of the main content');
      continue;
    }
    const isGone = ((hints[node] as number) & hint.gone) !== 0;
    const holdsRoot = node <= root && (ends[node] as number) >= end;
    if (!isGone && (holdsRoot || !isOutside(node))) continue;
    tell(node, (isGone && tape.reasons?.get(node)) || 'outside of the main content');
    node = (ends[node] as number) - 1;
  }

  function isOutside(node: number): boolean {
    return root >= 0 && (node < root || node >= end);
  }

  function tell(node: number, reason: LeftOutReason): void {
    if (tags[node] === tag.title) return;
    const { text, words } = textOf(tape, node);
    if (text !== '') onLeftOut({ reason, tag: tagName(tags[node] as number), words, text });
  }
}

function textOf(tape: Tape, node: number): { text: string; words: number } {
  let text = '';
  let words = 0;
  for (let at = node; at < (tape.ends[node] as number); at++) {
    if (tape.tags[at] !== textNode) continue;
    words += tape.words[at] as number;
    if (text.length < 4 * shownLength) text += ` ${tape.html.slice(tape.starts[at], tape.stops[at])}`;
  }
  return { text: collapseSpace(decodeText(text)).slice(0, shownLength), words };
}
