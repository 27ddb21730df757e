import { hint } from '../tape/class-hints.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { leadsElsewhere } from './measure-tape.ts';

/** Totals of the page without what was removed so far. */
export interface PageSums {
  prose: number;
  chars: number;
  words: number;
}

export function pageSums(tape: Tape): PageSums {
  const sums = { prose: 0, chars: 0, words: 0 };
  for (let node = 0; node < tape.size; node = tape.ends[node] as number) {
    if (((tape.hints[node] as number) & hint.gone) !== 0) continue;
    sums.prose += tape.prose[node] as number;
    sums.chars += tape.chars[node] as number;
    sums.words += tape.words[node] as number;
  }
  return sums;
}

/** Something may go only if at least this much prose remains. */
export const enough = 200;
/** A remark: at most this share of the page, and at most this long. */
const smallShare = 0.1;
const smallChars = 600;
/** Generators derive ids from at most this much text. */
const slugLength = 200;

/** A name alone is not enough, as a page about cookies has it in its ids. A dialog also has controls. */
export function isConsent(tape: Tape, node: number): boolean {
  const flags = tape.hints[node] as number;
  if ((flags & hint.consent) === 0 || isNamedByItsText(tape, node)) return false;
  const holds = tape.holds[node] as number;
  if ((holds & (holding.h1 | holding.code)) !== 0) return false;
  return (flags & (hint.surely | hint.dialog)) !== 0 || (holds & holding.control) !== 0;
}

/** True of navigation, unless it holds most of the page's text. Lists of links may be longer than the text. */
export function isBesides(tape: Tape, node: number, sums: PageSums): boolean {
  const holds = tape.holds[node] as number;
  const isLinks = (tape.linked[node] as number) >= 0.7 * (tape.chars[node] as number);
  if (isLinks && (holds & (holding.h1 | holding.code)) === 0) return true;
  const most = (tape.prose[node] as number) > 0.5 * sums.prose;
  return !most || (holds & (holding.h1 | holding.code | holding.heading)) === 0;
}

/**
 * A name and a second reason: it is small, consists of links, or has controls. Being small says nothing of comments, because
 * generated references call their descriptions so.
 */
export function isNamedBoilerplate(tape: Tape, node: number, sums: PageSums): boolean {
  const chars = tape.chars[node] as number;
  const prose = tape.prose[node] as number;
  const holds = tape.holds[node] as number;
  if ((holds & (holding.h1 | holding.code)) !== 0 || prose > 0.5 * sums.prose) return false;
  if (isMostOfHeading(tape, node) || isNamedByItsText(tape, node)) return false;
  const leadsAway = (tape.linked[node] as number) >= 0.4 * chars;
  if (leadsAway && tape.tags[node] === tag.table && linksOnlyNames(tape, node, smallChars)) return false;
  if (leadsAway) return !isChapterList(tape, node, sums);
  if ((holds & holding.heading) !== 0 && prose > 0 && ((tape.hints[node] as number) & hint.comments) === 0)
    return false;
  if ((holds & holding.control) !== 0) return true;
  if (((tape.hints[node] as number) & hint.boilerplate) === 0) return false;
  // Terms and rows are facts, however few.
  if (tape.tags[node] === tag.dl || tape.tags[node] === tag.table) return false;
  if (chars > smallChars) return false;
  return chars <= smallShare * sums.chars || (chars <= 0.5 * sums.chars && isLast(tape, node));
}

/** Nothing follows that is shown. */
function isLast({ tags, ends, chars, hints, size }: Tape, node: number): boolean {
  for (let at = ends[node] as number; at < size; at++) {
    if (((hints[at] as number) & (hint.gone | hint.surely)) !== 0 && tags[at] !== textNode)
      at = (ends[at] as number) - 1;
    else if (tags[at] === textNode && (chars[at] as number) > 0) return false;
  }
  return true;
}

/**
 * The contents of a chapter on a page with little else: they follow its heading, in the same element, and lead to other
 * pages. A table of contents that leads to the sections of its own page repeats them.
 */
function isChapterList(tape: Tape, node: number, sums: PageSums): boolean {
  const { tags, ends, chars, parents, hints, details } = tape;
  if (((hints[node] as number) & hint.surely) !== 0 || 3 * (chars[node] as number) < sums.chars) return false;
  const first = Math.max(parents[node] as number, node - fewNodes);
  let heading = node - 1;
  while (heading > first && (isHeading[tags[heading] as number] !== 1 || (chars[heading] as number) === 0))
    heading--;
  if (heading <= first || leadsElsewhere(tape, heading)) return false;
  let links = 0;
  let away = 0;
  for (let at = node; at < (ends[node] as number); at++) {
    const href = tags[at] === tag.a ? details.get(at)?.href : undefined;
    if (href === undefined) continue;
    links++;
    if (!href.startsWith('#')) away++;
  }
  return 2 * away > links;
}

/** Within the content an aside is a note, unless it consists of links to other pages' headlines or has controls. */
export function isAside(tape: Tape, node: number, sums: PageSums): boolean {
  const holds = tape.holds[node] as number;
  if ((holds & (holding.h1 | holding.code)) !== 0 || (tape.prose[node] as number) > 0.5 * sums.prose)
    return false;
  const linksNames =
    followsHeading(tape, node) && (namesThings(tape, node) || linksOnlyNames(tape, node, noteLength));
  if ((tape.linked[node] as number) >= 0.4 * (tape.chars[node] as number)) return !linksNames;
  return (holds & holding.control) !== 0 || !(linksNames || isWithinContent(tape, node));
}

/** Characters per word. Sentences stay below, qualified names do not: `java.lang.Object`. */
const longWords = 8;
const noteLength = 200;
const fewNodes = 200;

/** A short remark of names rather than a headline. */
function namesThings(tape: Tape, node: number): boolean {
  const chars = tape.chars[node] as number;
  return chars <= noteLength && chars >= longWords * (tape.words[node] as number);
}

/**
 * A reference links the names of things, single words: `Object.method`, `HWND`. Other stories have headlines.
 */
export function linksOnlyNames(tape: Tape, node: number, longest: number): boolean {
  const { tags, ends, chars, words, details } = tape;
  if ((chars[node] as number) > longest) return false;
  let links = 0;
  let named = 0;
  for (let at = node; at < (ends[node] as number); at++) {
    if (tags[at] !== tag.a || details.get(at)?.href === undefined || (chars[at] as number) === 0) continue;
    links++;
    if ((words[at] as number) === 1) named++;
  }
  return links > 0 && named >= 0.8 * links;
}

function followsHeading(tape: Tape, node: number): boolean {
  const first = Math.max(tape.parents[node] as number, node - fewNodes);
  for (let at = node - 1; at > first; at--) if (isHeading[tape.tags[at] as number] === 1) return true;
  return false;
}

/** A header with nothing but the headline, which may be followed by a line without links. */
export function isHeadline(tape: Tape, node: number): boolean {
  const holds = tape.holds[node] as number;
  return (holds & holding.h1) !== 0 && (holds & holding.control) === 0 && tape.linked[node] === 0;
}

export function isWithinContent(tape: Tape, node: number): boolean {
  for (let at = tape.parents[node] as number; at >= 0; at = tape.parents[at] as number)
    if (tape.tags[at] === tag.article || ((tape.hints[at] as number) & hint.main) !== 0) return true;
  return false;
}

/** A link with most of a heading's text is the heading; a permalink sign beside the text is not. */
function isMostOfHeading(tape: Tape, node: number): boolean {
  for (let at = tape.parents[node] as number; at >= 0; at = tape.parents[at] as number) {
    if (isHeading[tape.tags[at] as number] === 1)
      return (tape.chars[node] as number) > 0.5 * (tape.chars[at] as number);
    if (isBlock[tape.tags[at] as number] === 1) return false;
  }
  return false;
}

/** Generators derive ids from text: a section "Related work" is not a box of related links. */
function isNamedByItsText(tape: Tape, node: number): boolean {
  const id = ((tape.hints[node] as number) & hint.byId) !== 0 ? tape.details.get(node)?.id : undefined;
  if (id === undefined) return false;
  let text = '';
  const end = Math.min(tape.ends[node] as number, node + slugLength);
  for (let at = node + 1; at < end && text.length < slugLength; at++)
    if (tape.tags[at] === textNode) text += ` ${tape.html.slice(tape.starts[at], tape.stops[at])}`;
  const words = new Set(wordsOf(text.slice(0, slugLength)));
  // Names of symbols are qualified: `package.Class.method`.
  const named = wordsOf(id.split(/[.:/]/).findLast((part) => part !== '') ?? id);
  return named.filter((word) => words.has(word)).length >= 0.5 * named.length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Prose by element and in total, without what is named comments or boilerplate but was kept. */
export function undoubtedProse(tape: Tape): { prose: Int32Array; total: number } {
  const prose = tape.prose.slice(0, tape.size);
  let total = pageSums(tape).prose;
  for (let node = 0; node < tape.size; node++) {
    if (tape.tags[node] === textNode) continue;
    const flags = tape.hints[node] as number;
    if ((flags & hint.gone) === 0) {
      const isDoubtful = (flags & (hint.boilerplate | hint.comments)) !== 0;
      if (!isDoubtful || ((tape.holds[node] as number) & holding.h1) !== 0) continue;
      const weight = prose[node] as number;
      if (total - weight < enough) continue;
      for (let at = node; at >= 0; at = tape.parents[at] as number)
        prose[at] = (prose[at] as number) - weight;
      total -= weight;
    }
    node = (tape.ends[node] as number) - 1;
  }
  return { prose, total };
}
