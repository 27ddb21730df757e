import { tag, tagSet, textNode } from '../tape/html-tag.ts';
import type { Tape } from '../tape/tape.ts';
import { hint } from './hints.ts';
import { removeBoilerplate, restoreBoilerplate } from './remove-boilerplate.ts';

export interface ChosenContent {
  /** The element whose subtree holds the content; -1 for the whole page. */
  readonly root: number;
  readonly origin: 'marked' | 'scored' | 'page';
  /** The page's main part rather than an article, so its links may be what it is about. */
  readonly isMain?: boolean;
}

/** Elements that can hold a whole content. */
const isContainer = tagSet(
  'div', 'section', 'article', 'main', 'body', 'html', 'td', 'center', 'form', 'figure', 'details', 'header', 'footer',
  'aside', 'fieldset', 'dd', 'li',
); // biome-ignore format: a list of words

/** Shorter text is a label. */
const fewestChars = 50;
const nearlyNothing = 20;
/** With less prose, other text matters as much: a product's name and price. */
const littleProse = 300;

/**
 * Finds the element that holds the main content: one marked as such if it holds half of the prose, else the smallest one with
 * nearly all of it.
 */
export function chooseContent(tape: Tape, keepsLinks: boolean): ChosenContent {
  removeBoilerplate(tape);
  const { prose, chars } = sums(tape);
  const chosen = findRoot(tape, prose, keepsLinks);
  if (chosen !== undefined) return chosen;
  if (chars < nearlyNothing) restoreBoilerplate(tape);
  return { root: -1, origin: 'page' };
}

function sums(tape: Tape): { prose: number; chars: number } {
  let prose = 0;
  let chars = 0;
  for (let node = 0; node < tape.size; node = tape.ends[node] as number) {
    if (((tape.hints[node] as number) & hint.gone) !== 0) continue;
    prose += tape.prose[node] as number;
    chars += tape.chars[node] as number;
  }
  return { prose, chars };
}

/**
 * The smallest element that holds what elements of a kind hold: the one, or what several of like weight stand in (a
 * text in parts, the entries of a blog). The cards beside an article do not count.
 */
function holderOf(tape: Tape, matches: (node: number) => boolean): number {
  const { ends, parents, prose, tags } = tape;
  const found: number[] = [];
  let heaviest = -1;
  for (let node = 0; node < tape.size; node++) {
    if (tags[node] === textNode) continue;
    const gone = ((tape.hints[node] as number) & hint.gone) !== 0;
    if (!gone && !matches(node)) continue;
    if (!gone) {
      found.push(node);
      if (heaviest < 0 || (prose[node] as number) > (prose[heaviest] as number)) heaviest = node;
    }
    node = (ends[node] as number) - 1;
  }
  if (heaviest < 0) return -1;
  const floor = 0.25 * (prose[heaviest] as number);
  let sum = 0;
  for (const node of found) if ((prose[node] as number) >= floor) sum += prose[node] as number;
  let holder = heaviest;
  while (holder >= 0 && (prose[holder] as number) < 0.85 * sum) holder = parents[holder] as number;
  return holder;
}

function findRoot(tape: Tape, total: number, keepsLinks: boolean): ChosenContent | undefined {
  const { tags, hints, prose, chars } = tape;
  const isMain = (node: number) => ((hints[node] as number) & hint.main) !== 0;
  const kinds = [
    (node: number) => ((hints[node] as number) & hint.body) !== 0,
    (node: number) => tags[node] === tag.article,
    isMain,
  ];
  for (const kind of kinds) {
    const node = holderOf(tape, kind);
    if (node < 0 || (prose[node] as number) < 0.5 * total || (chars[node] as number) < fewestChars) continue;
    const whole = (keepsLinks && kind === isMain) || (prose[node] as number) < littleProse;
    return {
      root: whole ? wholeOf(tape, node) : descend(tape, node, 0.9),
      origin: 'marked',
      isMain: kind === isMain,
    };
  }
  const root = descend(tape, -1, 0.8);
  return root < 0 || total < fewestChars ? undefined : { root, origin: 'scored' };
}

/** Goes down as long as one child holds nearly all the prose. */
function descend(tape: Tape, from: number, share: number): number {
  const { ends, prose, hints, tags } = tape;
  let root = from;
  for (;;) {
    let heaviest = -1;
    let sum = root < 0 ? 0 : (prose[root] as number);
    const end = root < 0 ? tape.size : (ends[root] as number);
    for (let child = root + 1; child < end; child = ends[child] as number) {
      if (((hints[child] as number) & hint.gone) !== 0 || tags[child] === textNode) continue;
      if (root < 0) sum += prose[child] as number;
      if (heaviest < 0 || (prose[child] as number) > (prose[heaviest] as number)) heaviest = child;
    }
    if (heaviest < 0 || (prose[heaviest] as number) < share * sum || sum === 0) return wholeOf(tape, root);
    root = heaviest;
  }
}

/** A list item or table cell needs the list or table around it. */
function wholeOf(tape: Tape, node: number): number {
  let whole = node;
  while (whole >= 0 && isContainer[tape.tags[whole] as number] !== 1) whole = tape.parents[whole] as number;
  return whole;
}
