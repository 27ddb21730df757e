import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allLinks, foldLines, followedLinks, linkLines, unfoldLines } from './page-links.ts';

test.each<[string[], string[]]>([
  [[], []],
  [['https://a.example/1'], []],
  [['https://a.example/1', 'https://a.example/2'], ['https://a.example/login']],
  [[], ['https://a.example/login', 'https://b.example/']],
])('links %j and %j come back as they were stored', (followed, others) => {
  const lines = linkLines(followed, others);
  expect(followedLinks(lines)).toEqual(followed);
  expect(allLinks(lines)).toEqual([...followed, ...others]);
});

const lines = fc
  .array(fc.string({ unit: fc.constantFrom(...'/ab01\t\x00\x07\x7f'), maxLength: 200 }), { maxLength: 30 })
  .map((list) => list.join('\n'));

test('lines come back as they were', () => {
  let folds = 0;
  fc.assert(
    fc.property(lines, (text) => {
      const folded = foldLines(text);
      if (folded === null) return;
      folds++;
      expect(unfoldLines(folded)).toBe(text);
    }),
  );
  expect(folds).toBeGreaterThan(10);
});

test('the links of a site take less than half of their length', () => {
  const links = Array.from(
    { length: 50 },
    (_, n) => `https://example.com/section-${n % 7}/article-${n}.html`,
  );
  const text = links.join('\n');
  const folded = foldLines(text);
  expect(folded && unfoldLines(folded)).toBe(text);
  expect(folded?.length).toBeLessThan(text.length / 2);
});

test('what is long or not ASCII is left to be deflated', () => {
  expect(foldLines('https://example.com/ä')).toBeNull();
  expect(foldLines('x'.repeat(2_000))).toBeNull();
  expect(foldLines('x'.repeat(20_000))).toBeNull();
  expect(foldLines('\n'.repeat(2_000))).toBeNull();
});

test('what is deflated is never taken for folded', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3_000 }), fc.integer({ min: 0, max: 9 }), (text, level) => {
      expect(unfoldLines(deflateRawSync(text, { level }))).toBeNull();
    }),
  );
});
