import { LosslessNumber } from 'lossless-json';

/** Deeper than any real data, and far from exhausting the stack. */
const maxDepth = 32;

const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const words: Record<string, boolean | null> = { true: true, false: false, null: null };

/**
 * Parses JSON and keeps every number as written (LosslessNumber), which JSON.parse on Node 20 cannot. Strings go to the native
 * parser, which makes large ones many times faster than lossless-json's parser. The last of duplicate keys wins; text that
 * PostgreSQL cannot store (NUL, lone surrogates) is replaced.
 */
export function parseExactJson(text: string): unknown {
  let at = 0;
  const value = readValue(0);
  if (at < text.length) fail();
  return value;

  function readValue(depth: number): unknown {
    skip(space);
    const start = text[at];
    let read: unknown;
    if (start === '{') read = readObject(depth + 1);
    else if (start === '[') read = readArray(depth + 1);
    else if (start === '"') read = readString();
    else {
      const digits = skip(number);
      read = digits === '' ? readWord() : exact(digits);
    }
    skip(space);
    return read;
  }

  function readObject(depth: number): Record<string, unknown> {
    if (depth > maxDepth) throw new SyntaxError('nested too deeply');
    const entries: [string, unknown][] = [];
    at++;
    skip(space);
    while (text[at] !== '}') {
      if (entries.length > 0) eat(',');
      skip(space);
      if (text[at] !== '"') fail();
      const key = readString();
      skip(space);
      eat(':');
      entries.push([key, readValue(depth)]);
    }
    at++;
    // Not by assignment: a key may be __proto__.
    return Object.fromEntries(entries);
  }

  function readArray(depth: number): unknown[] {
    if (depth > maxDepth) throw new SyntaxError('nested too deeply');
    const items: unknown[] = [];
    at++;
    skip(space);
    while (text[at] !== ']') {
      if (items.length > 0) eat(',');
      items.push(readValue(depth));
    }
    at++;
    return items;
  }

  function readString(): string {
    const start = at;
    do {
      at = text.indexOf('"', at + 1);
      if (at === -1) throw new SyntaxError('unterminated string');
    } while (isEscaped(start));
    at++;
    return storable(JSON.parse(text.slice(start, at)));
  }

  /** A quote after an odd number of backslashes belongs to the string. */
  function isEscaped(start: number): boolean {
    let before = at - 1;
    while (before > start && text[before] === '\\') before--;
    return (at - 1 - before) % 2 === 1;
  }

  function readWord(): boolean | null {
    const found = skip(word);
    if (found === '') fail();
    return words[found] ?? null;
  }

  function skip(pattern: RegExp): string {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  }

  function eat(character: string): void {
    if (text[at] !== character) fail();
    at++;
  }

  function fail(): never {
    throw new SyntaxError(`unexpected ${text[at] === undefined ? 'end' : JSON.stringify(text[at])} at ${at}`);
  }
}

/** Only numbers that fit into PostgreSQL's jsonb and that JSON.parse can read. */
function exact(digits: string): LosslessNumber {
  const exponent = Number(/[eE](.*)$/.exec(digits)?.[1] ?? 0);
  if (digits.length > 400 || Math.abs(exponent) > 400 || !Number.isFinite(Number(digits)))
    throw new SyntaxError(`number out of range: ${digits.slice(0, 40)}`);
  return new LosslessNumber(digits);
}

function storable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
