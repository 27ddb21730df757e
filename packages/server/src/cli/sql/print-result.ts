import { printTable } from '../print-table.ts';
import type { SqlAnswer } from './sql-session.ts';

export type AnswerFormat = 'table' | 'json' | 'csv';

/** Prints one answer; in JSON on one line: an array of objects, or what a statement without rows did. */
export function printAnswer(answer: SqlAnswer, format: AnswerFormat): void {
  const { command, rowCount, columns, rows } = answer;
  if (format === 'json') console.log(JSON.stringify(jsonOf(answer)));
  else if (columns.length === 0) {
    if (format === 'table') console.log(rowCount === null ? command : `${command} ${rowCount}`);
  } else if (format === 'csv') process.stdout.write(csvOf(answer));
  else {
    const names = columns.map(({ name }) => name);
    printTable(
      names,
      rows.map((row) => row.map(shown)),
    );
    console.log(`(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`);
  }
}

/** Numbers stand to the right; one with digits that JavaScript would lose stays text. */
function shown(value: string | null): string | number {
  if (value === null) return '';
  return value !== '' && String(Number(value)) === value ? Number(value) : value;
}

function jsonOf({ command, rowCount, columns, rows }: SqlAnswer): unknown {
  if (columns.length === 0) return { command, rows: rowCount };
  const names = distinct(columns.map(({ name }) => name));
  return rows.map((row) =>
    Object.fromEntries(row.map((value, at) => [names[at], jsonValue(value, columns[at]?.type)])),
  );
}

/** pg_type: bool, the integers, the floats, json and jsonb. Everything else stays text: numeric keeps all its digits. */
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

/** Two columns may have one name; a field may not. */
function distinct(names: readonly string[]): string[] {
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((other) => other === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
}

/** RFC 4180; null is nothing, and an empty text "", as PostgreSQL's own CSV has it. */
function csvOf({ columns, rows }: SqlAnswer): string {
  const line = (values: readonly (string | null)[]) => `${values.map(csvCell).join(',')}\r\n`;
  return [columns.map(({ name }) => name), ...rows].map(line).join('');
}

function csvCell(value: string | null): string {
  if (value === null) return '';
  return value === '' || /[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
