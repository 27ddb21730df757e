import { printTable } from '../print-table.ts';
import type { SqlResult } from './sql-session.ts';

export type ResultFormat = 'table' | 'json' | 'csv';

/** Prints one result. JSON is one line: an array of objects, or a summary of a statement without rows. */
export function printResult(result: SqlResult, format: ResultFormat): void {
  const { command, rowCount, columns, rows } = result;
  if (format === 'json') console.log(JSON.stringify(jsonOf(result)));
  else if (columns.length === 0) {
    if (format === 'table') console.log(rowCount === null ? command : `${command} ${rowCount}`);
  } else if (format === 'csv') process.stdout.write(csvOf(result));
  else {
    const names = columns.map(({ name }) => name);
    printTable(
      names,
      rows.map((row) => row.map(shown)),
    );
    console.log(`(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`);
  }
}

/** Numbers are right-aligned; those that JavaScript cannot represent stay text. */
function shown(value: string | null): string | number {
  if (value === null) return '';
  return value !== '' && String(Number(value)) === value ? Number(value) : value;
}

function jsonOf({ command, rowCount, columns, rows }: SqlResult): unknown {
  if (columns.length === 0) return { command, rows: rowCount };
  const names = distinct(columns.map(({ name }) => name));
  return rows.map((row) =>
    Object.fromEntries(row.map((value, at) => [names[at], jsonValue(value, columns[at]?.type)])),
  );
}

/** OIDs of bool, integers, floats, json and jsonb. Other types stay text, so that numeric keeps all digits. */
const booleans = [16];
const numbers = [20, 21, 23, 26, 700, 701];
const documents = [114, 3802];

function jsonValue(value: string | null, type = 0): unknown {
  if (value === null) return null;
  if (booleans.includes(type)) return value === 't';
  if (documents.includes(type)) return JSON.parse(value);
  const number = Number(value);
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return numbers.includes(type) && isExact ? number : value;
}

/** Columns may share a name; JSON fields may not. */
function distinct(names: readonly string[]): string[] {
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((other) => other === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
}

/** RFC 4180. Null is empty and an empty text is "", as in PostgreSQL's own CSV. */
function csvOf({ columns, rows }: SqlResult): string {
  const line = (values: readonly (string | null)[]) => `${values.map(csvCell).join(',')}\r\n`;
  return [columns.map(({ name }) => name), ...rows].map(line).join('');
}

function csvCell(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
