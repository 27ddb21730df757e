import fc from 'fast-check';
import { LosslessNumber, stringify } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { cpuSeconds } from '../../../../../test/cpu-seconds.ts';
import { parseExactJson } from './exact-json.ts';

describe('JSON is read', () => {
  test('with every number as it was written', () => {
    expect(parseExactJson('{"price": 99.990, "n": [1e2, -0.30000000000000004]}')).toEqual({
      price: new LosslessNumber('99.990'),
      n: [new LosslessNumber('1e2'), new LosslessNumber('-0.30000000000000004')],
    });
  });

  test('as JSON.parse reads it, but for numbers', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5, stringUnit: 'grapheme' }),
        fc.constantFrom('', ' ', '\n\t'),
        (text, space) => {
          const spaced = space + JSON.stringify(JSON.parse(text), null, space) + space;
          const [exact, plain] = [stringify(parseExactJson(spaced)), JSON.parse(text)];
          expect(JSON.parse(exact ?? '')).toEqual(plain);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('with the last of a key that is there twice, and __proto__ as a key like any other', () => {
    expect(parseExactJson('{"a": 1, "a": true}')).toEqual({ a: true });
    const parsed = parseExactJson('{"__proto__": {"polluted": true}}') as object;
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect((parsed as { polluted?: true }).polluted).toBeUndefined();
  });

  test('with text made storable', () => {
    expect(parseExactJson(String.raw`{"k\u0000": "a\u0000b\ud800c\\\"d"}`)).toEqual({
      'k\u{fffd}': 'a\u{fffd}b\u{fffd}c\\"d',
    });
  });

  test('quickly, with megabytes of a page in a string', async () => {
    const html = '<p class="a">héllo\\ </p>\n'.repeat(200_000);
    const text = JSON.stringify({ html });
    let parsed: unknown;
    expect(
      await cpuSeconds(() => {
        parsed = parseExactJson(text);
      }),
    ).toBeLessThan(2);
    expect(parsed).toEqual({ html });
  });
});

test.each([
  ...[
    '',
    '{',
    '[1,]',
    '{"a" 1}',
    '{"a":1,}',
    '{a:1}',
    '01',
    '1.',
    '.5',
    '+1',
    'tru',
    'nul',
    '"a',
    '"\\"',
    '"\\x"',
    '[1 2]',
  ],
  ...['{} {}', '"\n"', 'undefined', '[,]', '{,}', '-', '1e', '1e400', '1e-500', '9'.repeat(500)],
])('%j is refused', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test('nesting is bounded, so that a million brackets cost nothing', () => {
  expect(parseExactJson('['.repeat(32) + ']'.repeat(32))).toBeDefined();
  expect(() => parseExactJson('['.repeat(33) + ']'.repeat(33))).toThrow('nested too deeply');
  expect(() => parseExactJson('{"a":'.repeat(1_000_000))).toThrow('nested too deeply');
});
