import { describe, expect, test } from 'vitest';
import { checkAllPatterns, checkPatterns } from './check-patterns.ts';

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

describe('patterns that would take long', () => {
  /** Each is as large as one may be, and none is like another. */
  const large = (index: number) => `/${'a'.repeat(99)}${index}(?:abcdefghi){990}/`;

  test('are refused when they are too many for one list', () => {
    const include = Array.from({ length: 7 }, (_, index) => large(index));
    expect(() => checkPatterns({ include: include.slice(0, 6) }, 'payload')).not.toThrow();
    expect(() => checkPatterns({ include }, 'payload')).toThrow(/too complex together/);
  });

  test('are refused when they are too many for one request, and others have their turns meanwhile', async () => {
    const jobs = Array.from({ length: 200 }, (_, job) => ({
      include: Array.from({ length: 6 }, (_, index) => large(1_000 + 6 * job + index)),
    }));
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const checked = checkAllPatterns(jobs, 'payload');
    await expect(checked).rejects.toMatchObject({
      code: 'bad_request',
      hint: 'Send fewer jobs in a request.',
    });
    clearImmediate(timer);
    // 80 of them fit into the total; a job of six takes longer than a slice.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  test('are refused before they are written out', () => {
    for (const pattern of [
      `/(?:${'a'.repeat(400)}){1000}/`,
      `/${'x{999}'.repeat(70)}/`,
      `/${'\\pL{999}'.repeat(50)}/`,
    ]) {
      const started = process.cpuUsage();
      expect(() => checkPatterns({ include: [pattern] }, 'payload')).toThrow(/too complex/);
      expect(process.cpuUsage(started).user).toBeLessThan(50_000);
    }
  });

  test.each([
    ['a class with a brace in it', '/[{]{3}a/'],
    ['a literal count', '/a\\{999}/'],
    ['a count in a group', '/(?:[a-z]{1,20}-){5}/'],
    ['a property', '/\\p{Lu}{2,10}/i'],
    ['a date', '/\\d{4}/\\d{2}/\\d{2}/'],
  ])('unlike %s', (_, pattern) => {
    expect(() => checkPatterns({ include: [pattern] }, 'payload')).not.toThrow();
  });
});
