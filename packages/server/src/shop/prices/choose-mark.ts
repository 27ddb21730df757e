import { type CurrencyMark, findCurrencyMarks } from './currency-marks.ts';
import { markBeside, saysMore } from './mark-beside.ts';
import { findNumbers, type WrittenNumber } from './written-numbers.ts';

/** The mark that names the currency: in the price or, where that says nothing or little, in the hint. */
export function chooseMark(
  text: string,
  number: WrittenNumber | null,
  marks: readonly CurrencyMark[],
  hint: string,
): Pick<CurrencyMark, 'text' | 'codes'> | null {
  const own = markIn(text, number, marks);
  const hinted = markOfHint(hint);
  if (own === null) return hinted ?? unknownMark(text, number);
  return hinted !== null && saysMore(hinted, own) ? hinted : own;
}

function markIn(
  text: string,
  number: WrittenNumber | null,
  marks: readonly CurrencyMark[],
): CurrencyMark | null {
  const beside = number && markBeside(text, number, marks);
  return beside ?? marks.find(({ kind }) => kind === 'sure') ?? null;
}

function markOfHint(hint: string): CurrencyMark | null {
  const marks = findCurrencyMarks(hint);
  if (marks.length === 0) return null;
  const whole = marks.find(({ text }) => text === hint.trim());
  if (whole !== undefined) return whole;
  const numbers = findNumbers(hint, (at) => marks.some(({ start, end }) => at >= start && at < end));
  for (const number of numbers) {
    const beside = markBeside(hint, number, marks);
    if (beside !== null) return beside;
  }
  return marks.find(({ kind }) => kind === 'sure') ?? null;
}

/** Words beside amounts that name no currency. */
const notCurrencies =
  /^(?:each|ea|pcs?|pieces?|ttc|ht|htva|tvac|hors|incl|inc|excl|ex|vat|gst|mwst|ust|iva|tax|brutto|netto|only|now|was|from|ab|uvp|rrp|msrp|per|or|off|stk|st|szt|ks|шт|x|ft|in|m|g|l)\.?$/i;

/** A short word alone with its amount is the name of a currency, though of one that nobody listed. */
function unknownMark(
  text: string,
  number: WrittenNumber | null,
): Pick<CurrencyMark, 'text' | 'codes'> | null {
  if (number === null) return null;
  const word = `${text.slice(0, number.start)} ${text.slice(number.end)}`.trim();
  if (!/^[\p{L}\p{M}\p{Sc}.'"״]{1,6}$/u.test(word) || notCurrencies.test(word)) return null;
  return { text: word, codes: [] };
}
