type Row = readonly (string | number)[];

/** Prints rows in aligned columns, as wide as the terminal; for a file or a pipe, as wide as they are. */
export function printTable(headers: readonly string[], rows: readonly Row[]): void {
  console.log(tableText(headers, rows, process.stdout.isTTY ? process.stdout.columns : undefined));
}

const indent = '    ';

/** Numbers stand to the right. Where the columns do not fit, empty ones are left out, and the last ones go on below the first. */
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

/** As many columns in a line as fit, and at least one. */
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

/** Control characters would break the terminal: they are shown. */
export function printable(text: string): string {
  return text.replaceAll(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
