import { chooseMark, markBeside } from './choose-mark.ts';
import { chooseNumber, isRange, joinCents } from './choose-number.ts';
import { currencyOfRegion, minorDigits } from './currencies.ts';
import { type CurrencyMark, findCurrencyMarks } from './currency-marks.ts';
import { findNumbers, readNumber, type Separators } from './written-numbers.ts';

interface PriceHints {
  /** Text that may name the currency: a code, a symbol, or another price on the page. */
  readonly currency?: string | null | undefined;
  /** ISO 3166, upper case. Decides what `$` and `kr` mean. */
  readonly region?: string | null | undefined;
  readonly separators?: Separators | undefined;
}

export interface ParsedPrice {
  /** Exact decimal with the decimals as written; null if the text contains no price. */
  readonly amount: string | null;
  /** ISO 4217; null if there is no mark or an ambiguous one. */
  readonly currency: string | null;
  /** The currency as found: `$`, `Kr`, `EUR`. */
  readonly currencyText: string | null;
  /** All currencies it may mean, the most used first. */
  readonly currencyCodes: readonly string[];
}

/** Longer text is cut: no price is longer. */
const longestText = 1_000;
const free =
  /^\W*(?:free|gratis|gratuit|kostenlos|umsonst|grátis|gratuito|бесплатно|безкоштовно|за дарма|zdarma|免费|免費|無料|무료)\W*$/iu;

/** Parses a price in any locale's notation. Exact decimals, never floats; never throws. */
export function parsePrice(text: string | null, hints: PriceHints = {}): ParsedPrice {
  const plain = plainDigits((text ?? '').slice(0, longestText));
  const marks = findCurrencyMarks(plain);
  const numbers = joinCents(plain, findNumbers(plain, isTaken(marks)), marks);
  const chosen = chooseNumber(plain, numbers, marks);
  const mark = chooseMark(plain, chosen, marks, plainDigits((hints.currency ?? '').slice(0, longestText)));
  const currency = mark === null ? null : meantBy(mark, hints.region);
  const amount = chosen && readNumber(chosen.parts, hints.separators ?? {}, minorDigits(currency ?? ''));
  return {
    amount: amount ?? (free.test(plain) ? '0' : null),
    currency,
    currencyText: mark?.text ?? null,
    currencyCodes: mark?.codes ?? [],
  };
}

/** What belongs to the price before it: a unit, or what it says of taxes. */
const suffix =
  /^\s*\(?\s*(?:\/ ?[\p{L}\d]+|(?:per|pro|je|each|off|p\.)(?: ?\d+)? ?\p{L}*|(?:in[ck]l?|exk?c?l?|netto|brutto|ttc|ht|net|gross|\+)\.?(?: \p{L}+)?)(?!\p{L})/iu;

/** The parts of a line that names several prices, one for each: "Was £70, now £50". A range is one price. */
export function splitPrices(line: string): string[] {
  const text = plainDigits(line.slice(0, longestText));
  const marks = findCurrencyMarks(text);
  if (marks.length < 2) return [text];
  const prices = joinCents(text, findNumbers(text, isTaken(marks)), marks).flatMap((number) => {
    const mark = markBeside(text, number, marks);
    if (mark === null) return [];
    return [{ number, start: Math.min(number.start, mark.start), end: Math.max(number.end, mark.end) }];
  });
  const parts: string[] = [];
  let from = 0;
  for (const [i, { number, end }] of prices.entries()) {
    const next = prices[i + 1];
    if (next === undefined) break;
    if (next.start < end || isRange(text, { ...number, end }, { ...next.number, start: next.start }))
      return [text];
    const cut = end + (suffix.exec(text.slice(end, next.start))?.[0].length ?? 0);
    parts.push(text.slice(from, cut));
    from = cut;
  }
  return [...parts, text.slice(from)];
}

function meantBy({ codes }: Pick<CurrencyMark, 'codes'>, region: string | null | undefined): string | null {
  const local = region ? currencyOfRegion(region) : null;
  if (local !== null && codes.includes(local)) return local;
  return codes.length === 1 ? (codes[0] as string) : null;
}

function isTaken(marks: readonly CurrencyMark[]): (at: number) => boolean {
  return (at) => marks.some(({ start, end }) => at >= start && at < end);
}

/** The zeros of scripts with their own decimal digits. */
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0, 0x1810, 0xff10,
];
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200b\u200e\u200f\u061c\ufeff\t\n\r\f\v]/g;
const unusual = /[^ -~€£¥]/;

/** Maps digits, separators and spaces to ASCII without changing the length, so that one set of rules reads every script. */
function plainDigits(text: string): string {
  if (!unusual.test(text)) return text;
  return text
    .replace(spaces, ' ')
    .replace(/[٫．]/g, '.')
    .replace(/[٬，]/g, ',')
    .replace(/[\u0660-\u1819\uff10-\uff19]/g, (c) => {
      const code = c.charCodeAt(0);
      const zero = zeros.find((first) => code >= first && code < first + 10);
      return zero === undefined ? c : String(code - zero);
    });
}
