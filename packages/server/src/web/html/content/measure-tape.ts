import { hint } from '../tape/class-hints.ts';
import { isBlock, isHeading, maxTags, tag, tagSet, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';

const isControl = tagSet('button', 'form', 'input', 'select', 'textarea');

/**
 * Sums characters, words and links over every subtree, and weighs prose: text directly in a block, without the blocks inside.
 * Labels and menu entries weigh little; links count against their block.
 */
export function measureTape(tape: Tape): void {
  const { tags, parents, chars, words, linked, prose, holds, size } = tape;
  const own = new Int32Array(size);
  const ownLinked = new Int32Array(size);
  const inLink = new Uint8Array(size);
  for (let node = 0; node < size; node++) {
    const parent = parents[node] as number;
    if (parent >= 0 && inLink[parent] === 1) inLink[node] = 1;
    else if (tags[node] === tag.a && tape.details.get(node)?.href) inLink[node] = 1;
  }
  for (let node = size - 1; node >= 0; node--) {
    const id = tags[node] as number;
    const parent = parents[node] as number;
    const block = isBlock[id] === 1;
    if (id === textNode) {
      own[node] = chars[node] as number;
      if (inLink[node] === 1) {
        linked[node] = chars[node] as number;
        ownLinked[node] = chars[node] as number;
      }
    }
    if (block && isHeading[id] !== 1)
      prose[node] =
        (prose[node] as number) +
        proseOf(own[node] as number, ownLinked[node] as number) * (id === tag.li ? 0.5 : 1);
    if (parent < 0) continue;
    chars[parent] = (chars[parent] as number) + (chars[node] as number);
    words[parent] = (words[parent] as number) + (words[node] as number);
    linked[parent] = (linked[parent] as number) + (linked[node] as number);
    if (((tape.hints[node] as number) & hint.gone) === 0)
      prose[parent] = (prose[parent] as number) + (prose[node] as number);
    holds[parent] = (holds[parent] as number) | (holds[node] as number) | ownHolding(tape, node, id);
    if (!block) {
      own[parent] = (own[parent] as number) + (own[node] as number);
      ownLinked[parent] = (ownLinked[parent] as number) + (ownLinked[node] as number);
    }
  }
}

/** What a tag alone adds: a table lookup for most elements. */
const ownBits = new Uint8Array(maxTags);
for (let id = 1; id < maxTags; id++) {
  if (isBlock[id] === 1) ownBits[id] = holding.block;
  if (isControl[id] === 1) ownBits[id] = (ownBits[id] as number) | holding.control;
}

function ownHolding(tape: Tape, node: number, id: number): number {
  const own = ownBits[id] as number;
  if ((id !== tag.pre && isHeading[id] !== 1) || (tape.chars[node] as number) === 0) return own;
  if (id === tag.pre) return own | holding.code;
  const heading = leadsElsewhere(tape, node) ? own : own | holding.heading;
  return id === tag.h1 ? heading | holding.h1 : heading;
}

/** A teaser's heading links to another page; a section's heading may link to itself. */
export function leadsElsewhere(tape: Tape, heading: number): boolean {
  let away = 0;
  for (let at = heading; at < (tape.ends[heading] as number); at++) {
    const href = tape.tags[at] === tag.a ? tape.details.get(at)?.href : undefined;
    if (href !== undefined && !href.includes('#')) away += tape.chars[at] as number;
  }
  return away > 0.5 * (tape.chars[heading] as number);
}

function proseOf(own: number, linked: number): number {
  const text = own - 1.5 * linked;
  if (text <= 0 || own < 20) return 0;
  return own >= 80 ? text : own >= 40 ? text * 0.6 : text * 0.2;
}
