import { hint } from '../content/class-hints.ts';
import { isBlock, tag, textNode } from '../tape/html-tag.ts';
import { decodeText } from '../tape/tag-attributes.ts';
import type { Tape } from '../tape/tape.ts';
import type { Rendering } from './rendering.ts';

/** Code as written: highlighters that give each line an element of its own leave out the line break. */
export function codeText(rendering: Rendering, node: number): string {
  const { tape } = rendering;
  const blockEnds: number[] = [];
  let raw = '';
  // Looking at the end of a growing string would copy it each time.
  let endsLine = true;
  const breakLine = () => {
    if (!endsLine) raw += '\n';
    endsLine = true;
  };
  for (let at = node; at < (tape.ends[node] as number); at++) {
    while (blockEnds.length > 0 && (blockEnds.at(-1) as number) <= at) {
      blockEnds.pop();
      breakLine();
    }
    const id = tape.tags[at] as number;
    if (id === textNode) {
      raw += tape.html.slice(tape.starts[at], tape.stops[at]);
      endsLine = tape.html[(tape.stops[at] as number) - 1] === '\n';
    } else if (id === tag.br) {
      raw += '\n';
      endsLine = true;
    } else if (at !== node && (rendering.isGone(at) || isLineNumber(tape, at)))
      at = (tape.ends[at] as number) - 1;
    else if (at !== node && isBlock[id] === 1) {
      breakLine();
      blockEnds.push(tape.ends[at] as number);
    }
  }
  return decodeText(rendering.take(raw));
}

function isLineNumber(tape: Tape, node: number): boolean {
  if (((tape.hints[node] as number) & hint.boilerplate) === 0) return false;
  const end = tape.ends[node] as number;
  if (end - node > 8) return false;
  for (let at = node; at < end; at++)
    if (tape.tags[at] === textNode && !/^[\s\d]*$/.test(tape.html.slice(tape.starts[at], tape.stops[at])))
      return false;
  return true;
}

/** The column of line numbers beside a listing: 1, 2, 3 … in a cell of its own. */
export function isGutter(tape: Tape, pre: number, code: string): boolean {
  const lines = code.trim().split(/\s+/);
  const first = Number(lines[0]);
  if (!lines.every((line, index) => line === String(first + index))) return false;
  for (
    let at = tape.parents[pre] as number, steps = 0;
    at >= 0 && steps < 3;
    at = tape.parents[at] as number, steps++
  )
    if (tape.tags[at] === tag.td) return true;
  return false;
}
