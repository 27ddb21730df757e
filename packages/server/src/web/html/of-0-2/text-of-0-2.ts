import { shaUuid } from '../../urls/hashes.ts';
import { plainText } from '../content/plain-text.ts';
import { PageReader } from '../page-reader.ts';
import { storableText } from '../page-text.ts';
import { isBlock, isDropped, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { Tape } from '../tape/tape.ts';
import { TapeWriter } from '../tape/tape-writer.ts';
import { chooseContent } from './choose-content.ts';
import { elementHints, hint } from './hints.ts';
import { pruneContent } from './prune-content.ts';

const tape = new Tape();

/**
 * The hashes that 0.2 may have given a page, of its main content. A recrawl of a site that 0.2 crawled learns from them what has
 * changed since. This folder is frozen, and goes with the support of upgrades from 0.2.
 */
export function hashesOf02(source: string, wanted: string | null): string[] {
  const first = shaUuid(textOf02(source, true));
  return first === wanted ? [first] : [first, shaUuid(textOf02(source, false))];
}

/** The release of 0.2.0 dropped lists of links from the main part of a page, later checkouts kept them. */
export function textOf02(source: string, keepsLinks: boolean): string {
  const html = storableText(source);
  const rules = { drops: (id: number) => isDropped[id] === 1 || id === tag.math, hints: elementHints };
  new PageReader(html, new TapeWriter(tape, html, false, undefined, rules), undefined).read();
  measureTape(tape);
  const { root, isMain = false } = chooseContent(tape, keepsLinks);
  pruneContent(tape, root, isMain, keepsLinks);
  return plainText(tape, root);
}

/**
 * Sums characters, words and links over every subtree, and weighs prose: text directly in a block, without the blocks inside.
 * Labels and menu entries weigh little; links count against their block.
 */
function measureTape(tape: Tape): void {
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
    if (block || holds[node] === 1) holds[parent] = 1;
    if (!block) {
      own[parent] = (own[parent] as number) + (own[node] as number);
      ownLinked[parent] = (ownLinked[parent] as number) + (ownLinked[node] as number);
    }
  }
}

function proseOf(own: number, linked: number): number {
  const text = own - 1.5 * linked;
  if (text <= 0 || own < 20) return 0;
  return own >= 80 ? text : own >= 40 ? text * 0.6 : text * 0.2;
}
