import { currencies } from './currencies.ts';

/** A place in a text that names a currency. */
export interface CurrencyMark {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Several if the mark is ambiguous. */
  readonly codes: readonly string[];
  readonly kind: MarkKind;
}

/** Words with other meanings and single letters count only beside an amount. */
type MarkKind = 'sure' | 'word' | 'letter';

/** Codes that are also English words. */
const wordCodes = new Set(['ALL', 'ANG', 'BAM', 'COP', 'CUP', 'GEL', 'LAK', 'MAD', 'MOP', 'PEN', 'RON', 'SIT', 'SOS', 'TOP', 'TRY']); // biome-ignore format: a list of words

/** Scripts without spaces between words: a mark may touch other letters. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const letter = /[\p{L}\p{M}]/u;
const wordEdges = new Map<string, boolean>();

/** Called for every character of every price: fast for ASCII, cached for the rest. */
function isWordEdge(c: string): boolean {
  const code = c.charCodeAt(0) | 32;
  if (c < '\x80') return code >= 97 && code <= 122;
  const known = wordEdges.get(c);
  if (known !== undefined) return known;
  const edge = letter.test(c) && !unspaced.test(c);
  if (wordEdges.size < 5_000) wordEdges.set(c, edge);
  return edge;
}

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
  readonly endsWord: boolean;
  readonly abbreviation: boolean;
}

const abbreviations = new Set(
  currencies.flatMap(({ marks }) =>
    marks.filter((mark) => mark.endsWith('.')).map((mark) => mark.slice(0, -1)),
  ),
);

/** By first character, longest first: one regular expression for all marks is a hundred times slower. */
const byFirst = new Map<string, KnownMark[]>();
for (const [text, meaning] of [...meanings].sort(([a], [b]) => b.length - a.length)) {
  const mark = {
    ...meaning,
    text,
    endsWord: isWordEdge(text.at(-1) as string),
    abbreviation: abbreviations.has(text),
  };
  const first = text[0] as string;
  const known = byFirst.get(first);
  if (known === undefined) byFirst.set(first, [mark]);
  else known.push(mark);
}

/** All marks in a text; the longest where several start. */
export function findCurrencyMarks(text: string): CurrencyMark[] {
  const found: CurrencyMark[] = [];
  let afterLetter = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at] as string;
    const isLetter = isWordEdge(c);
    // No mark starts inside a word: this skips most of a text.
    const mark: KnownMark | undefined =
      isLetter && afterLetter ? undefined : markAt(text, at, byFirst.get(c));
    afterLetter = isLetter;
    if (mark === undefined) continue;
    const bare: number = at + mark.text.length;
    const end: number = mark.abbreviation && text[bare] === '.' ? bare + 1 : bare;
    found.push({ start: at, end, text: text.slice(at, end), codes: mark.codes, kind: mark.kind });
    at = end - 1;
    afterLetter = mark.endsWord && end === bare;
  }
  return found;
}

function markAt(text: string, at: number, marks: readonly KnownMark[] | undefined): KnownMark | undefined {
  if (marks === undefined) return undefined;
  for (const mark of marks) {
    if (!text.startsWith(mark.text, at)) continue;
    const after = at + mark.text.length;
    if (!mark.endsWord || after >= text.length || !isWordEdge(text[after] as string)) return mark;
  }
  return undefined;
}
