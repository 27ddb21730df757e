import { hint } from '../tape/class-hints.ts';
import { isBlock, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';

/**
 * Turns listings without `<pre>` into code blocks: an element named as code that begins with elements named as lines. Either
 * name alone says nothing, as poems have lines too.
 */
export function findListings(tape: Tape): void {
  if (!tape.mayHaveLines) return;
  const { tags, hints, parents, ends, chars, holds, size } = tape;
  /** Characters within lines, by element, without those of listings already found inside. */
  const inLines = new Int32Array(size);
  for (let node = size - 1; node >= 0; node--) {
    if (tags[node] === textNode) continue;
    const flags = hints[node] as number;
    if ((flags & hint.line) !== 0) inLines[node] = chars[node] as number;
    else if ((flags & hint.code) !== 0 && isBlock[tags[node] as number] === 1 && isListing(node)) {
      makeListing(tape, node, inLines);
      continue;
    }
    const parent = parents[node] as number;
    if (parent >= 0) inLines[parent] = (inLines[parent] as number) + (inLines[node] as number);
  }

  function isListing(node: number): boolean {
    if (((holds[node] as number) & (holding.code | holding.h1 | holding.heading)) !== 0) return false;
    for (let child = node + 1; child < (ends[node] as number); child = ends[child] as number)
      if ((chars[child] as number) > 0) return (inLines[child] as number) > 0;
    return false;
  }
}

function makeListing(tape: Tape, node: number, inLines: Int32Array): void {
  const { tags, ends, hints, parents, holds } = tape;
  tags[node] = tag.pre;
  // Descriptions of symbols, which show up under the pointer.
  for (let child = node + 1; child < (ends[node] as number); child = ends[child] as number)
    if (tags[child] !== textNode && inLines[child] === 0) hints[child] = (hints[child] as number) | hint.gone;
  for (let at = parents[node] as number; at >= 0; at = parents[at] as number)
    holds[at] = (holds[at] as number) | holding.code | holding.block;
}
