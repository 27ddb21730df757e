import { limits } from '../limits.ts';
import { isHeading, tag, textNode } from '../tape/html-tag.ts';
import { linesOf, type RenderedBlock, renderBlocks } from './render-blocks.ts';
import type { Rendering } from './rendering.ts';

const maxFilledCells = 10 * limits.tableCells;

interface Row {
  readonly cells: number[];
  readonly isHeader: boolean;
}

/** A table of data becomes a pipe table; one that only lays out the page becomes its contents in order. */
export function renderTable(rendering: Rendering, node: number, blocks: RenderedBlock[]): void {
  const { caption, rows } = readTable(rendering, node);
  if (isLayout(rendering, node, rows)) {
    renderBlocks(rendering, node, blocks);
    return;
  }
  const title = caption < 0 ? '' : linesOf(rendering, caption);
  const lines = rows.map((row) => row.cells.flatMap((cell) => renderCell(rendering, cell)));
  const width = lines.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  const header = rows[0]?.isHeader ? (lines.shift() as string[]) : [];
  // Rows may be shorter than the header; filling up thousands of them to the width of one would not end.
  const fill = width * lines.length <= maxFilledCells ? width : 0;
  const write = (cells: string[], to = fill) =>
    `| ${Array.from({ length: Math.max(to, cells.length) }, (_, i) => cells[i] ?? '').join(' | ')} |`;
  const rule = `|${' --- |'.repeat(width)}`;
  if (title !== '') blocks.push({ text: title, isList: false });
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

function isLayout(rendering: Rendering, table: number, rows: readonly Row[]): boolean {
  const { tags, ends } = rendering.tape;
  const cells = rows.reduce((sum, row) => sum + row.cells.length, 0);
  if (rows.length < 2 || cells > limits.tableCells || rows.every((row) => row.cells.length < 2)) return true;
  for (let node = table + 1; node < (ends[table] as number); node++) {
    const id = tags[node] as number;
    if (id === tag.table || id === tag.pre || id === tag.blockquote || isHeading[id] === 1) return true;
  }
  return false;
}

function renderCell(rendering: Rendering, cell: number): string[] {
  const text = linesOf(rendering, cell).replaceAll('|', '\\|');
  const colspan = Math.min(rendering.tape.details.get(cell)?.colspan ?? 1, 50);
  return colspan > 1 ? [text, ...new Array<string>(colspan - 1).fill('')] : [text];
}
