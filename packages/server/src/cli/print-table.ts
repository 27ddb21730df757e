import { forTerminal, printable } from './terminal-text.ts';

type Row = readonly (string | number)[];

/** Prints rows in aligned columns, fitted to the terminal; a file or a pipe gets their full width. */
export function printTable(headers: readonly string[], rows: readonly Row[]): void {
  console.log(tableText(headers, rows, process.stdout.isTTY ? process.stdout.columns : undefined));
}

const indent = '    ';

/** Right-aligns numbers. If the columns do not fit, drops empty ones and continues the rest on further lines. */
export function tableText(
  headers: readonly string[],
  rows: readonly Row[],
  width = Number.POSITIVE_INFINITY,
): string {
  let columns = headers.map((header, index) =>
    columnOf(
      header,
      rows.map((row) => row[index] ?? ''),
    ),
  );
  if (widthOf(columns) > width) columns = columns.filter(({ isEmpty }) => !isEmpty);
  const lines = inLines(columns, width);
  const all = [-1, ...rows.keys()].flatMap((row) => lines.map((line, index) => lineOf(line, row, index > 0)));
  return all.filter((line) => line !== '').join('\n');
}

interface Column {
  readonly header: string;
  readonly cells: readonly string[];
  readonly width: number;
  readonly isNumber: boolean;
  readonly isEmpty: boolean;
}

function columnOf(header: string, values: Row): Column {
  const cells = values.map((value) => printable(String(value)));
  return {
    header,
    cells,
    width: Math.max(header.length, ...cells.map(({ length }) => length)),
    isNumber: values.every((value) => typeof value === 'number'),
    isEmpty: cells.every((cell) => cell === ''),
  };
}

function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { width }) => sum + width + 2, -2);
}

/** Fills each line with as many columns as fit, at least one. */
function inLines(columns: readonly Column[], width: number): Column[][] {
  const lines: Column[][] = [[]];
  for (const column of columns) {
    const line = lines.at(-1) as Column[];
    const room = lines.length > 1 ? width - indent.length : width;
    if (line.length > 0 && widthOf([...line, column]) > room) lines.push([column]);
    else line.push(column);
  }
  return lines;
}

/** Row -1 has the headers. */
function lineOf(columns: readonly Column[], row: number, isFurther: boolean): string {
  const cells = columns.map(({ header, cells, width, isNumber }) => {
    const cell = row < 0 ? header : (cells[row] ?? '');
    return isNumber ? cell.padStart(width) : cell.padEnd(width);
  });
  return `${isFurther ? indent : ''}${cells.join('  ')}`.trimEnd();
}

export type Field = readonly [label: string, value: string | null | undefined | false];

/** Prints the fields that have a value, one per line. */
export function printFields(fields: readonly Field[]): void {
  const width = Math.max(...fields.map(([label]) => label.length));
  for (const [label, value] of fields)
    if (value) console.log(forTerminal(`${label.padEnd(width)}  ${printable(value)}`));
}
