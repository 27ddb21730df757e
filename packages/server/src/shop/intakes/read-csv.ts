import { HoldfastError } from '@holdfast/contract';

const maxColumns = 200;
const lineEnd = /\r?\n|\r/;

export interface CsvRow {
  /** The line number where it starts, counted from 1. */
  readonly line: number;
  readonly cells: Record<string, string>;
}

/** How error messages name a field of a row. */
export function fieldOfLine(line: number): (field: string) => string {
  return (field) => (field === '' ? `line ${line}` : `${field} in line ${line}`);
}

interface Row {
  readonly line: number;
  readonly cells: string[];
}

/**
 * The rows of a CSV text (RFC 4180), keyed by the names in its first row. Empty cells and lines are skipped. The separator is the
 * most frequent of comma, semicolon and tab in the first row.
 */
export function readCsv(text: string, maxRows: number): CsvRow[] {
  const rows = rowsOf(text.replace(/^\u{feff}/u, ''), maxRows + 1);
  const names = rows.shift()?.cells.map((name) => name.trim().toLowerCase().replaceAll(/\s+/g, '_')) ?? [];
  if (names.length === 0 || names.every((name) => name === ''))
    throw new HoldfastError('bad_request', 'csv: the header row is missing');
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) throw new HoldfastError('bad_request', `csv: the column ${twice} appears twice`);
  return rows.map(({ line, cells }) => {
    if (cells.length > names.length)
      throw new HoldfastError('bad_request', `csv: line ${line} has more cells than the header row`);
    const filled = cells.map((cell, column) => [names[column] ?? '', cell.trim()] as const);
    return {
      line,
      cells: Object.fromEntries(filled.filter(([name, cell]) => name !== '' && cell !== '')),
    };
  });
}

function rowsOf(text: string, maxRows: number): Row[] {
  const separator = separatorOf(text);
  const rows: Row[] = [];
  let row: string[] = [];
  let at = 0;
  let line = 1;
  let firstLine = 1;
  const endRow = () => {
    if (row.length > 1 || row[0] !== '') rows.push({ line: firstLine, cells: row });
    if (rows.length > maxRows)
      throw new HoldfastError('bad_request', `csv: more than ${maxRows - 1} rows; send them in parts`);
    row = [];
    firstLine = line;
  };
  while (at < text.length) {
    const isQuoted = text[at] === '"';
    const [cell, end] = isQuoted ? quoted(text, at, line) : plain(text, at, separator);
    row.push(cell);
    if (isQuoted) line += cell.split(lineEnd).length - 1;
    if (row.length > maxColumns)
      throw new HoldfastError('bad_request', `csv: more than ${maxColumns} columns`);
    at = end;
    if (text[at] === separator) {
      at++;
      // A separator at the very end is followed by an empty cell.
      if (at === text.length) row.push('');
      continue;
    }
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new HoldfastError('bad_request', `csv: unexpected text after a closing quote in line ${line}`);
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    line++;
    endRow();
  }
  if (row.length > 0) endRow();
  return rows;
}

function quoted(text: string, start: number, line: number): [string, number] {
  let cell = '';
  let at = start + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1)
      throw new HoldfastError(
        'bad_request',
        `csv: the quoted cell that starts in line ${line} is not closed`,
      );
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return [cell, end + 1];
    cell += '"';
    at = end + 2;
  }
}

function plain(text: string, start: number, separator: string): [string, number] {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end++;
  return [text.slice(start, end), end];
}

function separatorOf(text: string): string {
  const [first = ''] = text.split(lineEnd, 1);
  const counts = [',', ';', '\t'].map((separator) => [separator, first.split(separator).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
