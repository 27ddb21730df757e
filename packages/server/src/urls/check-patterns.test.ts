import { expect, test } from 'vitest';
import { checkPatterns } from './check-patterns.ts';

test('patterns that a crawl can use pass, and so do options without any', () => {
  checkPatterns({ include: ['/blog/**', '/\\.html$/i'], exclude: [] }, 'payload');
  checkPatterns({ max_depth: 2 }, 'payload');
});

test.each([
  ['include', ['/(/'], 'missing closing'],
  ['exclude', ['/a/', ' '], 'is empty'],
  ['exclude', Array.from({ length: 101 }, () => '/a'), 'at most 100'],
])('one that it cannot use in %s is refused by its field', (name, patterns, why) => {
  expect(() => checkPatterns({ [name]: patterns }, 'payload')).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      details: [{ field: `payload.${name}`, message: expect.stringContaining(why) }],
    }),
  );
});
