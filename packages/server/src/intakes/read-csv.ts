import { HoldfastError } from '@holdfast/contract';

const maxColumns = 200;

/**
 * The rows of a CSV text (RFC 4180) by the names in its first row. Empty cells are left out, empty lines passed over. The
 * separator is the one of , ; and tab that the first row has most of.
 */
export function readCsv(text: string, maxRows: number): Record<string, string>[] {
  const lines = cellsOf(text.replace(/^\u{feff}/u, ''), maxRows + 1);
  const names = lines.shift()?.map((name) => name.trim().toLowerCase().replaceAll(/\s+/g, '_')) ?? [];
  if (names.length === 0 || names.every((name) => name === ''))
    throw new HoldfastError('bad_request', 'csv: the row of names is missing');
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) throw new HoldfastError('bad_request', `csv: the column ${twice} is there twice`);
  return lines.map((cells, at) => {
    if (cells.length > names.length)
      throw new HoldfastError('bad_request', `csv: row ${at + 2} has more cells than there are names`);
    const filled = cells.map((cell, column) => [names[column] ?? '', cell.trim()] as const);
    return Object.fromEntries(filled.filter(([name, cell]) => name !== '' && cell !== ''));
  });
}

function cellsOf(text: string, maxRows: number): string[][] {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const endRow = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row);
    if (rows.length > maxRows)
      throw new HoldfastError('bad_request', `csv: more than ${maxRows - 1} rows; send them in parts`);
    row = [];
  };
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? quoted(text, at) : plain(text, at, separator);
    row.push(cell);
    if (row.length > maxColumns)
      throw new HoldfastError('bad_request', `csv: more than ${maxColumns} columns`);
    at = end;
    if (text[at] === separator) {
      at++;
      // A separator at the very end has an empty cell behind it.
      if (at === text.length) row.push('');
      continue;
    }
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
      throw new HoldfastError(
        'bad_request',
        `csv: something follows a closing quote in row ${rows.length + 1}`,
      );
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    endRow();
  }
  if (row.length > 0) endRow();
  return rows;
}

function quoted(text: string, start: number): [string, number] {
  let cell = '';
  let at = start + 1;
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) throw new HoldfastError('bad_request', 'csv: a quoted cell has no end');
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
  const [first = ''] = text.split(/\r?\n|\r/, 1);
  const counts = [',', ';', '\t'].map((separator) => [separator, first.split(separator).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
