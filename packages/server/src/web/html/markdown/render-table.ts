import { limits } from '../limits.ts';
import { isBlock, isHeading, tag, textNode } from '../tape/html-tag.ts';
import { holding, type Tape } from '../tape/tape.ts';
import { linesOf } from './render-inline.ts';
import type { RenderedBlock, Rendering } from './rendering.ts';

const maxFilledCells = 10 * limits.tableCells;
/** A cell that spans several is repeated in each of them up to this length. */
const longestRepeated = 200;
const maxSpan = 1_000;
const longestLine = 300;

interface Row {
  readonly cells: number[];
  readonly isHeader: boolean;
}

/** A data table becomes a pipe table, a layout table the sequence of its contents. */
export function renderTable(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  const { caption, rows } = readTable(rendering, node);
  const { details, holds } = rendering.tape;
  const isPage = details.get(node)?.isLayout || ((holds[node] as number) & holding.h1) !== 0;
  const parts = isPage || rendering.inCell ? [] : splitAtHeadings(rendering.tape, rows);
  if (!parts.some((part) => !isLayout(rendering.tape, part.rows))) {
    rendering.writeBlocks(node, blocks);
    return;
  }
  const title = caption < 0 ? '' : linesOf(rendering, caption);
  if (title !== '') blocks.push({ text: title, isList: false });
  for (const part of parts) {
    if (part.heading !== undefined) rendering.writeBlocks(part.heading, blocks);
    if (!isLayout(rendering.tape, part.rows)) writeRows(rendering, part.rows, blocks);
    else for (const { cells } of part.rows) for (const cell of cells) rendering.writeBlocks(cell, blocks);
  }
}

function writeRows(rendering: Rendering, rows: readonly Row[], blocks: RenderedBlock[]): void {
  rendering.inCell = true;
  const lines = fillSpans(rendering, rows);
  rendering.inCell = false;
  const width = lines.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  const header = rows[0]?.isHeader ? (lines.shift() as string[]) : [];
  // Padding thousands of rows to the width of a single wide one would explode.
  const fill = width * lines.length <= maxFilledCells ? width : 0;
  const write = (cells: string[], to = fill) =>
    `| ${Array.from({ length: Math.max(to, cells.length) }, (_, i) => cells[i] ?? '').join(' | ')} |`;
  const rule = `|${' --- |'.repeat(width)}`;
  const filled = lines.filter((cells) => cells.some((cell) => cell !== ''));
  if (filled.length === 0 && header.every((cell) => cell === '')) return;
  blocks.push({
    text: [write(header, width), rule, ...filled.map((cells) => write(cells))].join('\n'),
    isList: false,
  });
}

function readTable(rendering: Rendering, table: number): { caption: number; rows: Row[] } {
  const { tags, ends } = rendering.tape;
  const rows: Row[] = [];
  let caption = -1;
  let inHead = false;
  for (let node = table + 1; node < (ends[table] as number); node++) {
    const id = tags[node] as number;
    if (id === textNode) continue;
    if (rendering.isGone(node)) node = (ends[node] as number) - 1;
    else if (id === tag.caption) {
      caption = node;
      node = (ends[node] as number) - 1;
    } else if (id === tag.thead) inHead = true;
    else if (id === tag.tbody || id === tag.tfoot) inHead = false;
    else if (id === tag.tr) {
      const cells = cellsOf(rendering, node);
      if (cells.length > 0)
        rows.push({ cells, isHeader: inHead || cells.every((cell) => tags[cell] === tag.th) });
      node = (ends[node] as number) - 1;
    }
  }
  return { caption, rows };
}

function cellsOf(rendering: Rendering, row: number): number[] {
  const { tags, ends } = rendering.tape;
  const cells: number[] = [];
  for (let cell = row + 1; cell < (ends[row] as number); cell = ends[cell] as number)
    if ((tags[cell] === tag.td || tags[cell] === tag.th) && !rendering.isGone(cell)) cells.push(cell);
  return cells;
}

/** A heading in a row of its own begins another table. */
function splitAtHeadings({ holds }: Tape, rows: readonly Row[]): { heading?: number; rows: Row[] }[] {
  const parts: { heading?: number; rows: Row[] }[] = [{ rows: [] }];
  for (const row of rows) {
    const [cell] = row.cells as [number];
    if (row.cells.length === 1 && ((holds[cell] as number) & holding.heading) !== 0)
      parts.push({ heading: cell, rows: [] });
    else parts.at(-1)?.rows.push(row);
  }
  return parts;
}

/** Rows with header cells are data. Without them, rows that hold headings, code or tables are layout. */
function isLayout({ tags, ends, chars }: Tape, rows: readonly Row[]): boolean {
  if (rows.length < 2 || rows.reduce((sum, row) => sum + row.cells.length, 0) > limits.tableCells)
    return true;
  const isSingle = rows.every((row) => row.cells.length < 2);
  // An icon beside the text.
  const hasText = (cell: number) => (chars[cell] as number) > 0;
  if (!isSingle && rows.every(({ cells }) => cells.filter(hasText).length < 2)) return true;
  if (rows.some((row) => row.cells.some((cell) => tags[cell] === tag.th))) return false;
  if (isSingle) return true;
  for (const { cells } of rows)
    for (const cell of cells)
      for (let node = cell + 1; node < (ends[cell] as number); node++) {
        const id = tags[node] as number;
        if (id === tag.table || id === tag.pre || id === tag.blockquote || isHeading[id] === 1) return true;
      }
  return false;
}

/** A row of a layout table whose cells hold a word or two, such as a signature. */
export function isSingleLine(rendering: Rendering, row: number): boolean {
  const { chars, holds } = rendering.tape;
  if ((chars[row] as number) > longestLine) return false;
  const cells = cellsOf(rendering, row);
  return cells.length > 1 && cells.every((cell) => ((holds[cell] as number) & holding.block) === 0);
}

/** Rows of text; a cell that spans several places fills all of them. */
function fillSpans(rendering: Rendering, rows: readonly Row[]): string[][] {
  const below = new Map<number, { text: string; rows: number }>();
  const spanOf = (cell: number) => rendering.tape.details.get(cell)?.colspan ?? 1;
  const widest = rows.reduce(
    (most, { cells }) =>
      Math.max(
        most,
        cells.reduce((sum, cell) => sum + spanOf(cell), 0),
      ),
    0,
  );
  let room = maxFilledCells;
  return rows.map(({ cells }) => {
    const line: string[] = [];
    const fillFromAbove = () => {
      if (room <= 0) below.clear();
      for (let span = below.get(line.length); span !== undefined; span = below.get(line.length)) {
        if (--span.rows === 0) below.delete(line.length);
        line.push(span.text);
        room--;
      }
    };
    for (const cell of cells) {
      fillFromAbove();
      const text = cellText(rendering, cell);
      const { colspan = 1, rowspan = 1 } = rendering.tape.details.get(cell) ?? {};
      // A cell across the whole table is a heading within it.
      const repeated = text.length > longestRepeated || colspan >= widest ? '' : text;
      const width = Math.max(1, Math.min(colspan, maxSpan, room));
      for (let at = 0; at < width; at++, room--) {
        if (rowspan > 1) below.set(line.length, { text: repeated, rows: Math.min(rowspan, maxSpan) - 1 });
        line.push(at === 0 ? text : repeated);
      }
    }
    if (room > 0) fillFromAbove();
    return line;
  });
}

/** A cell is one line of markdown, so `<br>` stands between its paragraphs, items and lines of code. */
function cellText(rendering: Rendering, cell: number): string {
  const text = isOneParagraph(rendering.tape, cell)
    ? linesOf(rendering, cell)
    : rendering
        .nested(cell)
        .map((block) => inOneLine(block.text))
        .join('<br>');
  return text.replaceAll('|', '\\|');
}

/** A table in a cell counts as one: its text is kept, its grid cannot be. */
function isOneParagraph({ tags, ends, holds, chars }: Tape, cell: number): boolean {
  if (((holds[cell] as number) & holding.block) === 0) return true;
  if (((holds[cell] as number) & holding.code) !== 0) return false;
  let blocks = 0;
  for (let at = cell + 1; at < (ends[cell] as number); at++) {
    const id = tags[at] as number;
    if (id === tag.table) return true;
    if (id === tag.ul || id === tag.ol || id === tag.dl) return false;
    if (isBlock[id] !== 1) continue;
    blocks++;
    // Text beside a block starts a line of its own.
    if (chars[at] !== chars[cell]) return false;
  }
  return blocks < 2;
}

function inOneLine(block: string): string {
  return block
    .replace(/^#+ /, '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('<br>');
}
