import { hint } from '../tape/class-hints.ts';
import { isHeading, tag, tagSet, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { pageSums, undoubtedProse } from './evidence.ts';
import { leadsElsewhere } from './measure-tape.ts';
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

/** Elements of running text, in contrast to boxes around it. */
const isFlow = tagSet('p', 'dl', 'ul', 'ol', 'table', 'blockquote', 'figure');

/** Shorter text is a label. */
const fewestChars = 50;
const nearlyNothing = 20;
/** With less prose, other text matters as much: a product's name and price. */
const littleProse = 300;
/** With so many entries beside it, an element is one of them. */
const fewestEntries = 2;
const manyEntries = 4;
/** A box with this much prose is part of the text. */
const muchProse = 80;

/**
 * Finds the element that holds the main content: one marked as such if it holds half of the prose, else the smallest one with
 * nearly all of it. `title` is an element that shows the page's title without being a heading.
 */
export function chooseContent(tape: Tape, title = -1): ChosenContent {
  removeBoilerplate(tape);
  const { chars } = pageSums(tape);
  const chosen = new RootFinder(tape).find();
  if (chosen !== undefined) return { ...chosen, root: withTitle(tape, chosen.root, title) };
  if (chars < nearlyNothing) restoreBoilerplate(tape);
  return { root: -1, origin: 'page' };
}

class RootFinder {
  readonly #tape: Tape;
  /** Without probable comments and boilerplate, which stay if they are within the content. */
  readonly #prose: Int32Array;
  readonly #total: number;
  /** Little prose beside names, types and labels. */
  readonly #isReference: boolean;

  constructor(tape: Tape) {
    this.#tape = tape;
    const { prose, total } = undoubtedProse(tape);
    this.#prose = prose;
    this.#total = total;
    this.#isReference = total < 0.3 * pageSums(tape).chars;
  }

  find(): ChosenContent | undefined {
    const { tags, hints, chars } = this.#tape;
    const isMain = (node: number) => ((hints[node] as number) & hint.main) !== 0;
    const kinds = [
      (node: number) => ((hints[node] as number) & hint.body) !== 0,
      (node: number) => tags[node] === tag.article,
      isMain,
    ];
    for (const kind of kinds) {
      const node = this.#holderOf(kind);
      if (node < 0 || this.#proseOf(node) < 0.5 * this.#total || (chars[node] as number) < fewestChars)
        continue;
      const isWhole = kind === isMain || this.#proseOf(node) < littleProse;
      const root = isWhole ? node : this.#descend(node, 0.9);
      return { root: wholeOf(this.#tape, this.#widen(root)), origin: 'marked', isMain: kind === isMain };
    }
    const root = wholeOf(this.#tape, this.#descend(-1, 0.8));
    if (root < 0 || this.#total < fewestChars || this.#losesMost(root)) return undefined;
    return { root, origin: 'scored' };
  }

  /** A page of labels and links has so little prose that it says nothing about the rest. */
  #losesMost(root: number): boolean {
    return this.#total < littleProse && (this.#tape.chars[root] as number) < 0.5 * pageSums(this.#tape).chars;
  }

  /**
   * The smallest element around all elements of a kind: a single one, or several of similar weight (a text in parts, the
   * entries of a blog). Cards beside an article do not count.
   */
  #holderOf(matches: (node: number) => boolean): number {
    const { ends, parents, tags, size } = this.#tape;
    const found: number[] = [];
    let heaviest = -1;
    for (let node = 0; node < size; node++) {
      if (tags[node] === textNode) continue;
      const gone = this.#isGone(node);
      if (!gone && !matches(node)) continue;
      if (!gone) {
        found.push(node);
        if (heaviest < 0 || this.#proseOf(node) > this.#proseOf(heaviest)) heaviest = node;
      }
      node = (ends[node] as number) - 1;
    }
    if (heaviest < 0) return -1;
    const floor = 0.25 * this.#proseOf(heaviest);
    let sum = 0;
    for (const node of found) if (this.#proseOf(node) >= floor) sum += this.#proseOf(node);
    let holder = heaviest;
    while (holder >= 0 && this.#proseOf(holder) < 0.85 * sum) holder = parents[holder] as number;
    return holder;
  }

  /** Descends while one child holds nearly all the prose and no sibling is part of the text. */
  #descend(from: number, share: number): number {
    const { ends, tags, size } = this.#tape;
    let root = from;
    for (;;) {
      let heaviest = -1;
      let sum = root < 0 ? 0 : this.#proseOf(root);
      const end = root < 0 ? size : (ends[root] as number);
      const children: number[] = [];
      for (let child = root + 1; child < end; child = ends[child] as number) {
        if (tags[child] === textNode || this.#isGone(child)) continue;
        if (root < 0) sum += this.#proseOf(child);
        if (heaviest < 0 || this.#proseOf(child) > this.#proseOf(heaviest)) heaviest = child;
        children.push(child);
      }
      if (heaviest < 0 || this.#proseOf(heaviest) < share * sum || sum === 0) return root;
      const others = children.filter((child) => child !== heaviest);
      if (others.some((child) => this.#isPart(child) || this.#isFlow(child) || this.#isSection(child)))
        return root;
      const entries = others.filter((child) => this.#isEntry(child)).length;
      if (entries >= (this.#isReference ? fewestEntries : manyEntries) && this.#isEntry(heaviest))
        return root;
      root = heaviest;
    }
  }

  /** Ascends to include sibling parts of the text, at most to the element marked as main. */
  #widen(root: number): number {
    const { parents, ends, tags, hints } = this.#tape;
    let widest = root;
    for (let node = root; node >= 0; node = parents[node] as number) {
      if (((hints[node] as number) & hint.main) !== 0 || tags[node] === tag.body) break;
      const parent = parents[node] as number;
      if (parent < 0) break;
      for (let child = parent + 1; child < (ends[parent] as number); child = ends[child] as number) {
        if (child === node || tags[child] === textNode || this.#isGone(child)) continue;
        if (this.#isPart(child)) widest = parent;
      }
    }
    return widest;
  }

  /** Has code, or a heading with text. */
  #isPart(node: number): boolean {
    const { holds, chars, linked } = this.#tape;
    const held = (holds[node] as number) | this.#ownHolding(node);
    if ((held & holding.code) !== 0) return true;
    const density = (linked[node] as number) / (chars[node] as number);
    if (this.#proseOf(node) >= muchProse && density < 0.2) return true;
    if ((held & holding.heading) === 0) return false;
    // The name of what the text is about, above it.
    if (
      this.#tape.tags[node] === tag.header &&
      (held & (holding.h1 | holding.control)) === 0 &&
      density < 0.2
    )
      return true;
    return (
      (this.#proseOf(node) >= 40 && density < 0.4) ||
      ((held & holding.h1) !== 0 && density < 0.2 && this.#hasSections(node))
    );
  }

  /** Sections of a reference hold names and types under their headings. */
  #isSection(node: number): boolean {
    const { holds, chars, linked } = this.#tape;
    if (!this.#isReference || ((holds[node] as number) & holding.heading) === 0) return false;
    return (linked[node] as number) < 0.4 * (chars[node] as number) && this.#hasSections(node);
  }

  /** A name with something about it. */
  #isEntry(node: number): boolean {
    const { holds, chars, linked } = this.#tape;
    if (((holds[node] as number) & holding.heading) === 0) return false;
    return (
      (chars[node] as number) >= nearlyNothing && (linked[node] as number) < 0.4 * (chars[node] as number)
    );
  }

  /** More than a title and a tagline. */
  #hasSections(node: number): boolean {
    const { tags, ends, chars } = this.#tape;
    let headings = 0;
    let text = chars[node] as number;
    for (let at = node + 1; at < (ends[node] as number); at++) {
      if (isHeading[tags[at] as number] !== 1) continue;
      headings++;
      text -= chars[at] as number;
    }
    return headings > 1 && text >= 30;
  }

  /** A paragraph or heading of its own: what stands directly beside it is no wrapper but the text. */
  #isFlow(node: number): boolean {
    const { tags, chars, linked } = this.#tape;
    const id = tags[node] as number;
    if (isHeading[id] === 1) return (chars[node] as number) > 0 && !leadsElsewhere(this.#tape, node);
    if (isFlow[id] !== 1 || this.#proseOf(node) < 40) return false;
    return (linked[node] as number) < 0.4 * (chars[node] as number);
  }

  #ownHolding(node: number): number {
    return this.#tape.tags[node] === tag.pre ? holding.code : 0;
  }

  #proseOf(node: number): number {
    return this.#prose[node] as number;
  }

  #isGone(node: number): boolean {
    return ((this.#tape.hints[node] as number) & hint.gone) !== 0;
  }
}

/** A list item or table cell needs the list or table around it. */
function wholeOf(tape: Tape, node: number): number {
  let whole = node;
  while (whole >= 0 && isContainer[tape.tags[whole] as number] !== 1) whole = tape.parents[whole] as number;
  return whole;
}

/** The synopsis of a reference is made of types, each of them a link. */
function linksNamesBeside(tape: Tape, holder: number, root: number): boolean {
  const { tags, ends, chars, words, details } = tape;
  let links = 0;
  let named = 0;
  for (let node = holder + 1; node < (ends[holder] as number); node++) {
    if (node === root) {
      node = (ends[root] as number) - 1;
      continue;
    }
    if (tags[node] !== tag.a || (chars[node] as number) === 0 || !details.get(node)?.href) continue;
    links++;
    if ((words[node] as number) === 1) named++;
  }
  return named >= 0.8 * links;
}

/** Generated references have their facts between title and text. What adds many links is a frame around both. */
function withTitle(tape: Tape, root: number, title: number): number {
  const { parents, ends, tags, chars, linked } = tape;
  if (title < 0 || title >= root) return root;
  let holder = root;
  while (holder > title) holder = parents[holder] as number;
  if (holder < 0 || isContainer[tags[holder] as number] !== 1 || (ends[holder] as number) <= root)
    return root;
  if (tags[holder] === tag.body || tags[holder] === tag.html) return root;
  const added = (chars[holder] as number) - (chars[root] as number);
  const addedLinks = (linked[holder] as number) - (linked[root] as number);
  if (addedLinks <= 0.4 * added) return holder;
  return addedLinks <= 0.8 * added && linksNamesBeside(tape, holder, root) ? holder : root;
}
