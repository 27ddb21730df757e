import { collapseSpace } from '../collapse-space.ts';
import { isBlock, isHeading, tag, tagSet, textNode } from '../tape/html-tag.ts';
import { decodeText } from '../tape/tag-attributes.ts';
import type { Tape } from '../tape/tape.ts';

const setApart = tagSet('blockquote', 'dl', 'figure', 'ol', 'p', 'pre', 'title', 'ul');

/** Of the page, for one character that is read: entities and runs of space are longer than what they stand for. */
const rawPerChar = 8;

/**
 * The text of an element as a reader sees its lines: one newline around blocks, an empty line around paragraphs, as
 * extruct's text has them. Between inline elements stands a space, unless punctuation follows.
 * Stops when `limit` characters are reached.
 */
export function layoutText(tape: Tape, node: number, limit: number): string {
  const { tags, ends, html, starts, stops } = tape;
  const open: number[] = [];
  let out = '';
  // Remembered: looking at the end of a growing string would copy it each time.
  let opensBracket = false;
  let newlines = 2;
  const breakLine = (id: number) => {
    const wanted = isHeading[id] === 1 || setApart[id] === 1 ? 2 : isBlock[id] === 1 || id === tag.br ? 1 : 0;
    if (wanted > newlines) {
      out += '\n'.repeat(wanted - newlines);
      newlines = wanted;
    }
  };
  for (let at = node; at < (ends[node] as number) && out.length < limit; at++) {
    while (open.length > 0 && (ends[open.at(-1) as number] as number) <= at)
      breakLine(tags[open.pop() as number] as number);
    const id = tags[at] as number;
    if (id !== textNode) {
      breakLine(id);
      open.push(at);
      continue;
    }
    const start = starts[at] as number;
    const stop = Math.min(stops[at] as number, start + rawPerChar * limit);
    const text = collapseSpace(decodeText(html.slice(start, stop)));
    if (text === '') continue;
    if (newlines === 0 && !/^[,:;.!?")]/.test(text) && !opensBracket) out += ' ';
    out += text;
    opensBracket = text.endsWith('(');
    newlines = 0;
  }
  return out.trim();
}
