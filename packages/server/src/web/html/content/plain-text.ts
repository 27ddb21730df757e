import { limits } from '../limits.ts';
import { collapseSpace, decodeText, storableText } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { isBlock, tag, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { trait } from '../tape/text-traits.ts';

/** The text of the chosen content, one line per block. */
export function plainText(tape: Tape, root: number): string {
  const { tags, hints, starts, stops, ends, html } = tape;
  const lines: string[] = [];
  let line = '';
  let plain = true;
  let room: number = limits.markdownLength;
  const flush = () => {
    if (line === '') return;
    const text = plain ? line.trim() : collapseSpace(decodeText(line));
    if (text !== '') lines.push(text);
    room -= text.length;
    line = '';
    plain = true;
  };
  const end = root < 0 ? tape.size : (ends[root] as number);
  const open: number[] = [];
  for (let node = root + 1; node < end && room > 0; node++) {
    while (open.length > 0 && (open.at(-1) as number) <= node) {
      open.pop();
      flush();
    }
    const id = tags[node] as number;
    if (id === textNode) {
      if (line !== '' || ((hints[node] as number) & (trait.spaced | trait.entities)) !== 0) plain = false;
      line += html.slice(starts[node], Math.min(stops[node] as number, (starts[node] as number) + room));
    } else if (((hints[node] as number) & (hint.gone | hint.caption)) !== 0 || id === tag.h1) {
      if (isBlock[id] === 1) flush();
      node = (ends[node] as number) - 1;
    } else if (id === tag.td || id === tag.th) line += ' ';
    else if (isBlock[id] === 1) {
      flush();
      open.push(ends[node] as number);
    } else if (id === tag.br) flush();
  }
  flush();
  return storableText(lines.join('\n'));
}
