import { collapseSpace, decodeText } from '../page-text.ts';
import { hint } from '../tape/class-hints.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { leadsElsewhere } from './measure-tape.ts';

export interface Headline {
  readonly node: number;
  readonly level: number;
  readonly text: string;
  /** An element that is no heading in the page. */
  readonly isPlain?: true;
}

const longestText = 400;
const deepestLevel = 4;
/** "3.", "12.4", "B.5": numbers of sections, which titles often leave out. */
const sectionNumber = /^\p{L}?[\d.]*\d\.?(?=\s)/u;
const permalinkSign = /[\s¶#§🔗⚓]+$/u;
/** Between the name of the page and the name of the site. */
const separator = /\s[|\-–—·»:/]\s|[:|»(),]|\s{2,}/u;

/** Headings that the page's title repeats, and elements that are nothing but this title; the best one first. */
export function findHeadlines(tape: Tape, title: string | undefined): Headline[] {
  if (!title) return [];
  const found: Headline[] = [];
  for (let node = 0; node < tape.size; node++) {
    const level = levelOf(tape, node);
    if (level === 0 || (level > 1 && isBesideContent(tape, node))) continue;
    const text = headingText(tape, node);
    const repeats = level === 1 ? isRepeated(text, title) || repeatsPart(text, title) : isTitle(text, title);
    if (repeats) found.push({ node, level, text });
  }
  if (found.length === 0) found.push(...titledBlock(tape, title));
  return found.sort((a, b) => a.level - b.level);
}

/**
 * Some pages show their title in an element that is no heading; it becomes one. The name of the site is a small part of the
 * title, and a link.
 */
function titledBlock(tape: Tape, title: string): Headline[] {
  const wanted = wordsOf(title).join(' ');
  const fewestChars = 0.5 * title.replace(/\s/g, '').length;
  for (let node = 0; node < tape.size; node++) {
    const id = tape.tags[node] as number;
    const chars = tape.chars[node] as number;
    if (!isTitled(id) || chars < fewestChars || chars > 2 * title.length) continue;
    if (beginsWithBlock(tape, node)) continue;
    const text = headingText(tape, node);
    const words = wordsOf(text).join(' ');
    if (words.length < 0.5 * wanted.length || (!wanted.startsWith(words) && !wanted.endsWith(words)))
      continue;
    if (leadsElsewhere(tape, node) || isBesideContent(tape, node)) continue;
    if (((tape.holds[node] as number) & holding.block) === 0) makeHeading(tape, node);
    return [{ node, level: 1, text, isPlain: true }];
  }
  return [];
}

/** A box around the title, not the title itself. */
function beginsWithBlock({ tags, chars, ends }: Tape, node: number): boolean {
  for (let at = node + 1; at < (ends[node] as number); at++) {
    if ((chars[at] as number) === 0) continue;
    if (isBlock[tags[at] as number] === 1) return true;
    if (tags[at] === textNode) return false;
  }
  return false;
}

function isTitled(id: number): boolean {
  return id === tag.div || id === tag.p || id === tag.center;
}

function makeHeading(tape: Tape, node: number): void {
  tape.tags[node] = tag.h1;
  for (let at = tape.parents[node] as number; at >= 0; at = tape.parents[at] as number)
    tape.holds[at] = (tape.holds[at] as number) | holding.h1 | holding.heading | holding.block;
}

/** The headline of a content that does not show one: banners above the content often hold it. */
export function missingHeadline(
  tape: Tape,
  root: number,
  headlines: readonly Headline[],
): Headline | undefined {
  const shown = (node: number) => isShown(tape, node, root);
  let highest = deepestLevel + 1;
  for (let node = Math.max(root, 0); node < tape.size; node++) {
    const level = levelOf(tape, node);
    if (level > 0 && level < highest && shown(node)) highest = level;
  }
  if (headlines.some(({ node }) => shown(node))) return undefined;
  // A text with headlines of its own still has the one of its article.
  if (highest === 1)
    return headlines.find(({ node, level }) => level === 1 && sharesArticle(tape, node, root));
  return headlines[0] ?? closestAbove(tape, root, highest);
}

function sharesArticle(tape: Tape, node: number, root: number): boolean {
  if (root < 0 || node >= root) return false;
  let holder = tape.parents[root] as number;
  while (holder >= 0 && tape.tags[holder] !== tag.article) holder = tape.parents[holder] as number;
  return holder >= 0 && holder < node;
}

/** The last heading before the content that may be its parent. */
function closestAbove(tape: Tape, root: number, highest: number): Headline | undefined {
  for (let node = root - 1; node >= 0; node--) {
    const level = levelOf(tape, node);
    if (level === 0 || level >= highest || isBesideContent(tape, node) || leadsElsewhere(tape, node))
      continue;
    return { node, level, text: headingText(tape, node) };
  }
  return undefined;
}

/** The level of a heading that may be a headline; 0 of anything else. */
function levelOf(tape: Tape, node: number): number {
  const id = tape.tags[node] as number;
  if (isHeading[id] !== 1 || (tape.chars[node] as number) === 0) return 0;
  const level = id - tag.h1 + 1;
  return level > deepestLevel ? 0 : level;
}

/** The title of a page with an h1 often adds the name of the site, and words may differ. */
function isRepeated(text: string, title: string): boolean {
  if (title.toLowerCase().includes(text.toLowerCase())) return true;
  const words = wordsOf(withoutNumber(text));
  const known = new Set(wordsOf(title));
  return words.length > 0 && words.filter((word) => known.has(word)).length >= 0.75 * words.length;
}

/** "Class Socket" of a page titled "Socket (net 1.2)": one part of the title with a few words around it. */
function repeatsPart(text: string, title: string): boolean {
  const words = wordsOf(text);
  return title.split(separator).some((part) => {
    const named = wordsOf(part);
    return (
      named.length > 0 && 2 * named.length >= words.length && named.every((word) => words.includes(word))
    );
  });
}

/** Lower headings must be all that the title says of the page. */
function isTitle(text: string, title: string): boolean {
  const words = wordsOf(withoutNumber(text)).join(' ');
  if (words === '') return false;
  return [title, ...title.split(separator)].some(
    (part) => wordsOf(withoutNumber(part.trim())).join(' ') === words,
  );
}

function isBesideContent(tape: Tape, node: number): boolean {
  for (let at = node; at >= 0; at = tape.parents[at] as number)
    if (((tape.hints[at] as number) & (hint.surely | hint.aside | hint.hidden | hint.boilerplate)) !== 0)
      return true;
  return false;
}

function isShown(tape: Tape, node: number, root: number): boolean {
  if (root >= 0 && (node < root || node >= (tape.ends[root] as number))) return false;
  for (let at = node; at >= 0; at = tape.parents[at] as number)
    if (((tape.hints[at] as number) & hint.gone) !== 0) return false;
  return true;
}

function withoutNumber(text: string): string {
  return text.replace(sectionNumber, '');
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Without permalinks, whether they are signs or words for screen readers. */
function headingText(tape: Tape, node: number): string {
  let text = '';
  for (let at = node + 1; at < (tape.ends[node] as number) && text.length < longestText; at++)
    if (tape.tags[at] === textNode) text += tape.html.slice(tape.starts[at], tape.stops[at]);
    else if (isBlock[tape.tags[at] as number] === 1 && text.trim() !== '') break;
    else if (tape.tags[at] === tag.br) text += ' ';
    else if (((tape.hints[at] as number) & (hint.boilerplate | hint.hidden)) !== 0) {
      // The text itself may be a link of any name.
      const isSmall = (tape.chars[at] as number) <= 0.5 * (tape.chars[node] as number);
      if (isSmall) at = (tape.ends[at] as number) - 1;
    }
  return collapseSpace(decodeText(text)).replace(permalinkSign, '');
}
