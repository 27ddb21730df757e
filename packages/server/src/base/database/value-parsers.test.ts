import { expect, test } from 'vitest';
import { valueParsers } from './value-parsers.ts';

const parse = (oid: number, text: string) => valueParsers.getTypeParser(oid, 'text')(text);

test('int8 comes as a number, alone and in arrays', () => {
  expect(parse(20, '9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parse(1016, '{1,NULL,-3}')).toEqual([1, null, -3]);
  expect(parse(1016, '{{1},{2}}')).toEqual([[1], [2]]);
});

test('an int8 that would be rounded is refused', () => {
  expect(() => parse(20, '9007199254740993')).toThrow('9007199254740993');
});

test('other types come as pg gives them', () => {
  expect(parse(1184, '2026-01-02 03:04:05.678+00')).toEqual(new Date('2026-01-02T03:04:05.678Z'));
  expect(parse(1700, '1.10')).toBe('1.10');
});
