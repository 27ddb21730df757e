import { expect, test } from 'vitest';
import { tableText } from './print-table.ts';

const headers = ['ID', 'ERROR', 'TRIES', 'URL'];
const rows = [
  ['1111-2222-3333', '', 3, 'https://example.com/a'],
  ['4444', '', 12, 'https://example.com/'],
];

test('columns are aligned, numbers to the right', () => {
  expect(tableText(headers, rows)).toBe(
    `ID              ERROR  TRIES  URL
1111-2222-3333             3  https://example.com/a
4444                      12  https://example.com/`,
  );
});

test('on a narrow terminal a column without anything in it is left out', () => {
  expect(tableText(headers, rows, 45)).toBe(
    `ID              TRIES  URL
1111-2222-3333      3  https://example.com/a
4444               12  https://example.com/`,
  );
});

test('and what does not fit stands below, in columns too', () => {
  expect(tableText(headers, rows, 25)).toBe(
    `ID              TRIES
    URL
1111-2222-3333      3
    https://example.com/a
4444               12
    https://example.com/`,
  );
});

test('which leaves no empty line where a row has nothing there', () => {
  expect(
    tableText(
      ['ID', 'REASON'],
      [
        ['1111-2222-3333', ''],
        ['4444', 'it hangs'],
      ],
      15,
    ),
  ).toBe('ID\n    REASON\n1111-2222-3333\n4444\n    it hangs');
});

test('control characters are shown, not sent to the terminal', () => {
  expect(tableText(['A'], [['\u001b[2J']])).toBe('A\n\\x1b[2J');
});
