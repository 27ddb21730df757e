import { describe, expect, test } from 'vitest';
import { pointsFromCsv } from '../points/import-points.ts';
import { intakesFromCsv } from './import-intakes.ts';
import { readCsv } from './read-csv.ts';

describe('a CSV text', () => {
  test('has rows that know the line in which they begin, as an editor counts', () => {
    const text = '\u{feff}title,year\r\n\r\n"Morgan\r\nDollar",1881\r\n\nEagle,\rCrown,"19\n35"\nLast,1';
    expect(readCsv(text, 10)).toEqual([
      { line: 3, cells: { title: 'Morgan\r\nDollar', year: '1881' } },
      { line: 6, cells: { title: 'Eagle' } },
      { line: 7, cells: { title: 'Crown', year: '19\n35' } },
      { line: 9, cells: { title: 'Last', year: '1' } },
    ]);
  });

  test.each([
    ['title\n\nx,y', 'line 3 has more cells'],
    ['title\n\n"x"y', 'a closing quote in line 3'],
    ['title\n"a\nb"\n"x\n', 'that starts in line 4 is not closed'],
  ])('%j is refused by line', (text, message) => {
    expect(() => readCsv(text, 10)).toThrow(message);
  });

  test('names the line of a field that is wrong', () => {
    expect(() => intakesFromCsv('title,currency\nEagle,USD\n\nCrown,pounds\n')).toThrow(
      /currency in line 4 /,
    );
    expect(() => intakesFromCsv('title,reference\nEagle,A\nCrown,B\nMark,A\n')).toThrow(
      'reference A is in line 2 and in line 4',
    );
    expect(() => pointsFromCsv('price,currency\n12.50,USD\ncheap,USD\n')).toThrow(/price in line 3 /);
    expect(() => pointsFromCsv('price\n12.50\n')).toThrow(/currency in line 2 is missing/);
  });
});
