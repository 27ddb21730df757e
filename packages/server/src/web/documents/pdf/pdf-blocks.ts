import { textOf } from './page-furniture.ts';
import type { Line, Run } from './pdf-lines.ts';

export type Block =
  | { readonly kind: 'page'; readonly page: number }
  | { readonly kind: 'heading'; readonly level: number; readonly runs: readonly Run[] }
  | { readonly kind: 'paragraph'; readonly runs: readonly Run[] }
  | { readonly kind: 'item'; readonly marker: string; readonly depth: number; readonly runs: readonly Run[] }
  | { readonly kind: 'code'; readonly lines: readonly string[] };

/** An entry of the document's outline: level 1 is the top. */
export interface OutlineEntry {
  readonly title: string;
  readonly level: number;
}

const bullet =
  /^(?:[•◦▪▫‣⁃∙●○■□–—\u2212*\uf0b7\uf0a7\uf076-]|o(?=\s))\s*$|^[•◦▪▫‣⁃∙●○■□\uf0b7\uf0a7\uf076]\s*|^[–—*-]\s+/;
const numbered = /^\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s+/;
const longestHeading = 200;
/** A heading is larger than the text by at least this much. */
const largerBy = 1.12;
const tallestHeading = 3;

/** Turns the lines of a document into headings, paragraphs, list items and code. */
export function blocksOf(pages: readonly (readonly Line[])[], outline: readonly OutlineEntry[]): Block[] {
  const style = measure(pages);
  const words = wordsOf(pages);
  const levelOf = headingLevels(pages, style, outline);
  const blocks: Block[] = [];
  let open: Open | undefined;
  for (const [at, lines] of pages.entries()) {
    const page = lines[0]?.page ?? at + 1;
    const margin = leftMargin(lines, style);
    const right = rightMargin(lines, style);
    // If a sentence continues on the next page, the anchor follows its paragraph.
    let anchor: Block | undefined = { kind: 'page', page };
    const flush = () => {
      if (open) blocks.push(closed(open));
      if (anchor) blocks.push(anchor);
      open = anchor = undefined;
    };
    if (!open || !lines[0] || !goesOn(open, lines[0])) flush();
    for (const line of lines) {
      const isFirst = line === lines[0];
      if (open && (isFirst || continues(open, line, style, right))) {
        add(open, line, words);
        continue;
      }
      flush();
      open = begin(line, levelOf(line), style, margin);
    }
    if (anchor && !open) blocks.push(anchor);
    else if (anchor && open) {
      blocks.push(closed(open), anchor);
      open = undefined;
    }
  }
  if (open) blocks.push(closed(open));
  return blocks;
}

interface Style {
  /** Of most of the text. */
  readonly size: number;
  readonly font: string;
  /** Distance of the lines of a paragraph, in sizes. */
  readonly leading: number;
}

interface Open {
  readonly kind: 'heading' | 'paragraph' | 'item' | 'code';
  readonly level: number;
  readonly marker: string;
  readonly depth: number;
  readonly runs: Run[];
  readonly code: { text: string; x: number }[];
  readonly charWidth: number;
  readonly first: Line;
  last: Line;
  lineCount: number;
}

const isCodeLine = ({ runs }: Line) => runs.every(({ isCode, text }) => isCode || text.trim() === '');

function begin(line: Line, level: number | undefined, style: Style, margin: number): Open {
  const text = textOf(line);
  const base = {
    level: level ?? 0,
    marker: '',
    depth: 0,
    code: [],
    charWidth: line.charWidth,
    first: line,
    last: line,
    lineCount: 1,
  };
  if (level !== undefined) return { ...base, kind: 'heading', runs: [...line.runs] };
  if (isCodeLine(line) && !bullet.test(text))
    return { ...base, kind: 'code', runs: [...line.runs], code: [{ text: joined(line), x: line.x }] };
  if (isContentsLine(text)) return { ...base, kind: 'item', marker: '-', runs: [...line.runs] };
  const mark = (bullet.exec(text) ?? numbered.exec(text))?.[0];
  if (mark === undefined) return { ...base, kind: 'paragraph', runs: [...line.runs] };
  const runs = withoutStart(line.runs, mark.length);
  const depth = Math.min(4, Math.max(0, Math.round((line.x - margin) / (2 * style.size)) - 1));
  const marker = /[\da-z]/i.test(mark) && mark.trim() !== 'o' ? mark.trim() : '-';
  return { ...base, kind: 'item', marker, depth, runs };
}

function continues(open: Open, line: Line, style: Style, right: number): boolean {
  const { last } = open;
  if (line.page !== last.page) return goesOn(open, line);
  if (isContentsLine(textOf(last)) || line.runs[0]?.isRaised) return false;
  const gap = line.y - last.y;
  const size = Math.max(last.size, line.size);
  if (open.kind === 'code') return isCodeLine(line) && gap > 0 && gap < 3 * size;
  if (Math.abs(line.size - last.size) > 0.12 * size) return false;
  if (open.kind === 'heading')
    return (
      open.lineCount < tallestHeading &&
      line.font === open.first.font &&
      gap > 0 &&
      gap < 1.5 * size &&
      !/^[\dA-Z]+(?:\.\d+)+\s/.test(textOf(line))
    );
  // Another column: the previous line shows whether the sentence continues.
  if (gap <= 0) return goesOn(open, line);
  if (gap > Math.max(1.25 * style.leading, 1.35) * size) return false;
  const text = textOf(line);
  if (bullet.test(text) || (numbered.test(text) && endsSentence(last))) return false;
  if (isCodeLine(line) && line.x > open.first.x + 0.5 * size && text.length > 1) return false;
  const isIndented = line.x > last.x + 0.8 * size && last.x <= open.first.x;
  if (open.kind === 'paragraph' && open.lineCount > 1 && isIndented) return false;
  if (open.kind === 'item' && line.x < open.first.x - 0.5 * size) return false;
  // A short line that ends a sentence.
  return !(last.end < right - 0.2 * (right - open.first.x) && endsSentence(last));
}

/** An entry of a table of contents: title, gap or dots, page number. */
const isContentsLine = (text: string) => /(?:(?:\s?\.){4,}\s*|\t)(?:\d{1,4}|[ivxlc]{1,6})$/i.test(text);

/** Whether a sentence continues in another column or on the next page. */
function goesOn(open: Open, line: Line): boolean {
  if (open.kind !== 'paragraph' && open.kind !== 'item') return false;
  if (Math.abs(line.size - open.last.size) > 0.12 * line.size || isCodeLine(line)) return false;
  const text = textOf(line);
  return !endsSentence(open.last) && /^[\p{Ll}(]/u.test(text) && !bullet.test(text) && !numbered.test(text);
}

const endsSentence = (line: Line) => /[.:!?…。！？"”)\]]$/.test(textOf(line));

function add(open: Open, line: Line, words: ReadonlySet<string>): void {
  if (open.kind === 'code') {
    const blank = line.page === open.last.page && line.y - open.last.y > 1.7 * line.size;
    if (blank) open.code.push({ text: '', x: line.x });
    open.code.push({ text: joined(line), x: line.x });
  } else joinRuns(open.runs, line.runs, words);
  open.last = line;
  open.lineCount++;
}

/** Joins the next line to a paragraph and rejoins hyphenated words. */
function joinRuns(runs: Run[], next: readonly Run[], words: ReadonlySet<string>): void {
  const last = runs.at(-1);
  const first = next[0];
  if (!last || !first) return;
  last.text = last.text.trimEnd();
  const broken = /([\p{L}\d]+)[-\u00ad\u2010]$/u.exec(last.text);
  const rest = /^[\p{Ll}]+/u.exec(first.text)?.[0];
  if (last.text.endsWith('\u00ad')) last.text = last.text.slice(0, -1);
  else if (broken && rest && !last.isCode) {
    const whole = `${broken[1]}-${rest}`.toLowerCase();
    if (!words.has(whole)) last.text = last.text.slice(0, -1);
  } else if (!isWithinUrl(last, first) && !(isIdeograph(last.text.at(-1)) && isIdeograph(first.text[0])))
    last.text += ' ';
  runs.push(...next);
}

/** A link whose text is its URL, broken at the end of the line. */
function isWithinUrl(last: Run, first: Run): boolean {
  return last.href !== undefined && last.href === first.href && /[/.?&=_-]$|^\S*:\/\/\S*$/.test(last.text);
}

const isIdeograph = (char: string | undefined) =>
  char !== undefined && /[\u3040-\u9fff\uff00-\uffef]/.test(char);

function closed({ kind, level, marker, depth, runs, code, charWidth }: Open): Block {
  switch (kind) {
    case 'heading':
      return { kind, level, runs };
    case 'item':
      return { kind, marker, depth, runs };
    case 'code': {
      const left = Math.min(...code.filter(({ text }) => text !== '').map(({ x }) => x));
      const indent = (x: number) =>
        charWidth > 0 ? Math.min(80, Math.max(0, Math.round((x - left) / charWidth))) : 0;
      return { kind, lines: code.map(({ text, x }) => (text === '' ? '' : ' '.repeat(indent(x)) + text)) };
    }
    default:
      return { kind, runs };
  }
}

function joined({ runs }: Line): string {
  return runs
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

function withoutStart(runs: readonly Run[], length: number): Run[] {
  let left = length;
  const rest: Run[] = [];
  for (const run of runs) {
    const text = run.text.slice(left);
    left = Math.max(0, left - run.text.length);
    if (text.trim() !== '' || rest.length > 0)
      rest.push({ ...run, text: rest.length === 0 ? text.trimStart() : text });
  }
  return rest;
}

function measure(pages: readonly (readonly Line[])[]): Style {
  const sizes = new Tally();
  const fonts = new Tally();
  const leadings = new Tally();
  for (const lines of pages)
    for (const [at, line] of lines.entries()) {
      const weight = textOf(line).length;
      if (!isCodeLine(line)) sizes.add(half(line.size), weight);
      fonts.add(line.font, weight);
      const before = lines[at - 1];
      const gap = before && before.size === line.size ? (line.y - before.y) / line.size : 0;
      if (gap > 0.9 && gap < 2.2) leadings.add(Math.round(gap * 20) / 20, weight);
    }
  return {
    size: (sizes.most() as number | undefined) ?? 10,
    font: (fonts.most() as string | undefined) ?? '',
    leading: (leadings.most() as number | undefined) ?? 1.2,
  };
}

const half = (size: number) => Math.round(size * 2) / 2;

class Tally {
  readonly #counts = new Map<number | string, number>();
  add(value: number | string, weight: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + weight);
  }
  most(): number | string | undefined {
    return [...this.#counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  }
}

/** Words that are hyphenated within a line: they keep their hyphen at the end of one. */
function wordsOf(pages: readonly (readonly Line[])[]): Set<string> {
  const words = new Set<string>();
  for (const lines of pages)
    for (const line of lines)
      for (const [word] of textOf(line).matchAll(/[\p{L}\d]+-\p{Ll}+/gu)) words.add(word.toLowerCase());
  return words;
}

/** The left edge of most lines of the text. */
function leftMargin(lines: readonly Line[], { size }: Style): number {
  const edges = new Tally();
  for (const line of lines) if (half(line.size) === size) edges.add(Math.round(line.x), 1);
  return (edges.most() as number | undefined) ?? 0;
}

function rightMargin(lines: readonly Line[], { size }: Style): number {
  const ends = lines.filter((line) => half(line.size) === size).map(({ end }) => end);
  ends.sort((a, b) => a - b);
  return ends[Math.floor(ends.length * 0.9)] ?? 0;
}

/** Titles are compared by their letters and digits. */
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/**
 * The outline determines the headings and thus the level of each font size; without an outline, larger sizes are higher
 * levels. Level 1 is the document's title.
 */
function headingLevels(
  pages: readonly (readonly Line[])[],
  style: Style,
  outline: readonly OutlineEntry[],
): (line: Line) => number | undefined {
  const named = new Map<string, number>();
  for (const { title, level } of outline)
    if (!named.has(plain(title))) named.set(plain(title), Math.min(6, level + 1));
  const bySize = new Map<number, Tally>();
  const sizes = new Set<number>();
  for (const lines of pages)
    for (const line of lines) {
      const text = textOf(line);
      if (text.length > longestHeading) continue;
      if (isLarger(line, style)) sizes.add(half(line.size));
      const level = named.get(plain(text)) ?? named.get(plain(withoutNumber(text)));
      if (level === undefined) continue;
      const tally = bySize.get(half(line.size)) ?? new Tally();
      tally.add(level, 1);
      bySize.set(half(line.size), tally);
    }
  const ranked = [...sizes].sort((a, b) => b - a);
  return (line) => {
    const text = textOf(line);
    if (text.length > longestHeading || !/\p{L}/u.test(text) || /(?:\s?\.){4,}/.test(text)) return undefined;
    const isPlain = half(line.size) <= style.size && line.font === style.font;
    const level = named.get(plain(text)) ?? named.get(plain(withoutNumber(text)));
    if (level !== undefined && !isPlain && !isCodeLine(line)) return level;
    if (!isLarger(line, style) || isCodeLine(line)) return undefined;
    const learnt = bySize.get(half(line.size))?.most() as number | undefined;
    return learnt ?? Math.min(4, ranked.indexOf(half(line.size)) + (bySize.size > 0 ? 1 : 2));
  };
}

const withoutNumber = (text: string) =>
  text.replace(/^(?:(?:chapter|appendix|part|section)\s+)?(?:[A-Z]|[\dIVX]+)(?:\.\d+)*[.:)]?\s+/i, '');
const isLarger = (line: Line, style: Style) => line.size > style.size * largerBy;
