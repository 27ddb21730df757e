import { plainText } from '../content/plain-text.ts';
import { PageReader } from '../page-reader.ts';
import { storableText } from '../storable-text.ts';
import { isDropped, tag } from '../tape/html-tag.ts';
import { Tape } from '../tape/tape.ts';
import { TapeWriter } from '../tape/tape-writer.ts';
import { chooseContent } from './choose-content.ts';
import { elementHints } from './element-hints.ts';
import { measureTape } from './measure-tape.ts';
import { pruneContent } from './prune-content.ts';

const tape = new Tape();

/**
 * The main content as Holdfast 0.2 read it, which it made its content hash from. A recrawl of a site that 0.2 crawled tells by
 * it what has changed since. This folder stays as it is, and goes when upgrades from 0.2 are no longer supported.
 */
export function textOf02(source: string): string {
  const html = storableText(source);
  const rules = { drops: (id: number) => isDropped[id] === 1 || id === tag.math, hints: elementHints };
  new PageReader(html, new TapeWriter(tape, html, false, undefined, rules), undefined).read();
  measureTape(tape);
  const { root, isMain = false } = chooseContent(tape);
  pruneContent(tape, root, isMain);
  return plainText(tape, root);
}
