import { describe, expect, test } from 'vitest';
import { fitText } from './terminal-text.ts';

describe('a text is fitted to a terminal', () => {
  test('by words, and no line that fits is changed', () => {
    expect(fitText('short\n  one two three four five\n', 14)).toBe(
      'short\n  one two\n  three four\n  five\n',
    );
  });

  test('as one paragraph, if it was broken for a wider one', () => {
    expect(fitText('one two three four five\nsix seven\nEight', 14)).toBe(
      'one two three\nfour five six\nseven\nEight',
    );
  });

  test('below the column that its end stands in', () => {
    const line = `  crawl URL  ${'word '.repeat(12).trim()}`;
    const fitted = fitText(line, 50).split('\n');
    expect(fitted.map((each) => each.slice(0, 13))).toEqual(['  crawl URL  ', ' '.repeat(13)]);
    expect(fitted.every(({ length }) => length <= 50)).toBe(true);
  });

  test('on a line of its own where that column leaves no room', () => {
    expect(fitText(`  ${'x'.repeat(30)}  what it is for`, 40)).toBe(
      `  ${'x'.repeat(30)}\n      what it is for`,
    );
  });

  test('with a word that is longer than a line left whole, so that it can be copied', () => {
    expect(fitText(`see ${'u'.repeat(40)} there`, 20)).toBe(`see\n${'u'.repeat(40)}\nthere`);
  });
});
