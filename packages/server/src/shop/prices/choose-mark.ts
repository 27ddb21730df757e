import { type CurrencyMark, findCurrencyMarks } from './currency-marks.ts';
import { findNumbers, type WrittenNumber } from './written-numbers.ts';

/** The currency mark of a price: in its text or, if that is missing or ambiguous, in the hint. */
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

/** A short word alone with an amount is taken for a currency that is not in the table. */
function unknownMark(
  text: string,
  number: WrittenNumber | null,
): Pick<CurrencyMark, 'text' | 'codes'> | null {
  if (number === null) return null;
  const word = `${text.slice(0, number.start)} ${text.slice(number.end)}`.trim();
  if (!/^[\p{L}\p{M}\p{Sc}.'"״]{1,6}$/u.test(word) || notCurrencies.test(word)) return null;
  return { text: word, codes: [] };
}

/** What may stand between an amount and its currency: `Kr: 5`, `1.198,- Kr`, `500/- Rs`. */
const gap = /^[\s:.,*~=()\-–—/']{0,5}$/;
const narrowGap = /^\s{0,2}$/;

/** The mark beside a number. Of several, the most specific (`SGD` in `$ SGD 4.90`); on a tie, the one before the number. */
export function markBeside(
  text: string,
  number: WrittenNumber,
  marks: readonly CurrencyMark[],
): CurrencyMark | null {
  const found = [...chain(text, number.start, marks, -1), ...chain(text, number.end, marks, 1)];
  const inside = marks.filter(({ start, end }) => start >= number.start && end <= number.end);
  return [...found, ...inside].reduce<CurrencyMark | null>(
    (best, mark) => (best !== null && !saysMore(mark, best) ? best : mark),
    null,
  );
}

function saysMore(mark: CurrencyMark, than: CurrencyMark): boolean {
  if ((mark.kind === 'letter') !== (than.kind === 'letter')) return than.kind === 'letter';
  return mark.codes.length < than.codes.length && mark.codes.every((code) => than.codes.includes(code));
}

function* chain(
  text: string,
  from: number,
  marks: readonly CurrencyMark[],
  direction: 1 | -1,
): Generator<CurrencyMark> {
  let edge = from;
  const ordered = direction === 1 ? marks : marks.toReversed();
  for (const mark of ordered) {
    const near = direction === 1 ? mark.start : mark.end;
    if ((near - edge) * direction < 0) continue;
    const between = direction === 1 ? text.slice(edge, near) : text.slice(near, edge);
    if (
      !(mark.kind === 'letter' ? narrowGap : gap).test(between) ||
      nextToAnother(text, mark, direction, between.length)
    )
      return;
    yield mark;
    edge = direction === 1 ? mark.end : mark.start;
  }
}

/** In `50 - $2.00` the mark belongs to the second number. */
function nextToAnother(text: string, mark: CurrencyMark, direction: 1 | -1, distance: number): boolean {
  const beyond =
    direction === 1
      ? text.slice(mark.end, mark.end + 5)
      : text.slice(Math.max(0, mark.start - 5), mark.start);
  const space = (direction === 1 ? /^ *(?=[.,]?\d)/ : /(?<=\d) *$/).exec(beyond)?.[0];
  return space !== undefined && space.length < distance;
}
