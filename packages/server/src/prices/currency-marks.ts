import { currencies } from './currencies.ts';

/** A place in a text that names a currency. */
export interface CurrencyMark {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** One, or several where the mark alone does not say. */
  readonly codes: readonly string[];
  readonly kind: MarkKind;
}

/** A word that means other things as well, or a single letter, counts only beside an amount. */
export type MarkKind = 'sure' | 'word' | 'letter';

/** Codes that read as English words in a title or a heading. */
const wordCodes = new Set(['ALL', 'ANG', 'BAM', 'COP', 'CUP', 'GEL', 'LAK', 'MAD', 'MOP', 'PEN', 'RON', 'SIT', 'SOS', 'TOP', 'TRY']); // biome-ignore format: a list of words

/** Scripts without spaces between words: a mark may touch other letters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const letter = /[\p{L}\p{M}]/u;
const isWordEdge = (c: string) => letter.test(c) && !unspaced.test(c);

interface Meaning {
  readonly codes: string[];
  readonly kind: MarkKind;
}

const meanings = new Map<string, Meaning>();
for (const { code, marks } of currencies) {
  for (const mark of marks) mean(mark.replace(/\.$/, ''), code);
  mean(code, code);
  if (wordCodes.has(code)) continue;
  mean(code.toLowerCase(), code);
  mean(`${code[0]}${code.slice(1).toLowerCase()}`, code);
}

function mean(mark: string, code: string): void {
  const known = meanings.get(mark);
  if (known === undefined) meanings.set(mark, { codes: [code], kind: kindOf(mark) });
  else if (!known.codes.includes(code)) known.codes.push(code);
}

function kindOf(mark: string): MarkKind {
  if (/^\p{L}$/u.test(mark) && isWordEdge(mark)) return 'letter';
  return /^[A-Za-z][a-z]*$/.test(mark) || wordCodes.has(mark) ? 'word' : 'sure';
}

interface KnownMark extends Meaning {
  readonly text: string;
  readonly startsWord: boolean;
  readonly endsWord: boolean;
  readonly abbreviation: boolean;
}

const abbreviations = new Set(
  currencies.flatMap(({ marks }) =>
    marks.filter((mark) => mark.endsWith('.')).map((mark) => mark.slice(0, -1)),
  ),
);

/** By their first character, the longest first: one regular expression for all of them is a hundred times slower. */
const byFirst = new Map<string, KnownMark[]>();
for (const [text, meaning] of [...meanings].sort(([a], [b]) => b.length - a.length)) {
  const mark = {
    ...meaning,
    text,
    startsWord: isWordEdge(text[0] as string),
    endsWord: isWordEdge(text.at(-1) as string),
    abbreviation: abbreviations.has(text),
  };
  const first = text[0] as string;
  const known = byFirst.get(first);
  if (known === undefined) byFirst.set(first, [mark]);
  else known.push(mark);
}

/** Every mark in a text, the longest where several begin. */
export function findCurrencyMarks(text: string): CurrencyMark[] {
  const found: CurrencyMark[] = [];
  for (let at = 0; at < text.length; at++) {
    const mark = byFirst.get(text[at] as string)?.find((candidate) => standsAt(text, at, candidate));
    if (mark === undefined) continue;
    const bare = at + mark.text.length;
    const end = mark.abbreviation && text[bare] === '.' ? bare + 1 : bare;
    found.push({ start: at, end, text: text.slice(at, end), codes: mark.codes, kind: mark.kind });
    at = end - 1;
  }
  return found;
}

function standsAt(text: string, at: number, { text: mark, startsWord, endsWord }: KnownMark): boolean {
  if (!text.startsWith(mark, at)) return false;
  if (startsWord && at > 0 && isWordEdge(text[at - 1] as string)) return false;
  return !(endsWord && at + mark.length < text.length && isWordEdge(text[at + mark.length] as string));
}
