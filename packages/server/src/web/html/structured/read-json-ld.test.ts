import { describe, expect, test } from 'vitest';
import { readJsonLd } from './read-json-ld.ts';

describe('JSON-LD', () => {
  test('gives objects, those of a list one by one, and nothing that is empty', () => {
    expect(readJsonLd('[{"a":1},null,{},{"b":2}]')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(readJsonLd('null')).toEqual([]);
    expect(readJsonLd(' ')).toEqual([]);
  });

  test.each([
    ['a trailing comma', '{"a":[1,2,],}', { a: [1, 2] }],
    ['comments', '// first\n{"a": /* one */ 1, // second\n"u":"http://x//y"}', { a: 1, u: 'http://x//y' }],
    ['an HTML comment around it', '<!-- hello -->\n{"a":"<!-- kept -->"}\n-->', { a: '<!-- kept -->' }],
    ['CDATA around it', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
    ['bare CDATA marks', '<![CDATA[{"a":1}]]>', { a: 1 }],
    ['a semicolon or a brace behind it', '{"a":1}};', { a: 1 }],
    ['line breaks and tabs in strings', '{"a":"x\n\ty"}', { a: 'x\n\ty' }],
    ["JavaScript's escapes", `{"a":"it\\'s \\x41 C:\\dir"}`, { a: "it's A C:\\dir" }],
    ['HTML escapes', '{&quot;a&quot;:1}', { a: 1 }],
  ])('is repaired: %s', (_name, source, expected) => {
    expect(readJsonLd(source)).toEqual([expected]);
  });

  test('keeps the digits of numbers if asked to', () => {
    const source = '{"a":19.90,"b":[-1e2,0.1,12345678901234567890.12],"c":"5 \\" 6","d":01}';
    expect(readJsonLd(source.replace(',"d":01', ''), { numbersAsText: true })).toEqual([
      { a: '19.90', b: ['-1e2', '0.1', '12345678901234567890.12'], c: '5 " 6' },
    ]);
    expect(readJsonLd(source, { numbersAsText: true })).toEqual([]);
  });

  test('gives several values that stand one after the other', () => {
    expect(readJsonLd('{"a":1}\n{"b":2}')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test.each(['{"a":', '{"a" "b"}', 'undefined', '{"a":"b', '['.repeat(100_000), '{"a":1'.repeat(10_000)])(
    'gives nothing rather than a guess, and never throws: %#',
    (source) => {
      expect(readJsonLd(source)).toEqual([]);
    },
  );

  test('gives no NUL and no half characters, in keys neither', () => {
    expect(readJsonLd('{"a\\u0000":"\\ud800x","b":"\\ud83d\\ude00"}')).toEqual([
      { 'a\uFFFD': '\uFFFDx', b: '😀' },
    ]);
  });
});
