import { markBeside } from './choose-mark.ts';
import type { CurrencyMark } from './currency-marks.ts';
import type { WrittenNumber } from './written-numbers.ts';

const percent = /^ ?[%٪％]/;
/** Case-sensitive: `ft` is a foot, `Ft` a forint. */
const measure =
  /^ ?(?:mm|cm|dm|km|m²|m2|m³|ft|ft²|sqft|sq ?ft|yds?|inch(?:es)?|mg|g|kg|lbs?|oz|ml|cl|dl|l|mAh|[kMGT]B|[kMG]?Hz|k?W|kWh|hrs?|min|мм|см|кг|гр|мл|шт)(?![\p{L}\d])/u;
const rangeSign = /^ ?(?:-|–|—|~|～|to|through|bis|à|do|до) ?$/;

/** The number that is the price: the first beside a currency, else the first that is no percentage, measure or part of a word. */
export function chooseNumber(
  text: string,
  numbers: readonly WrittenNumber[],
  marks: readonly CurrencyMark[],
): WrittenNumber | null {
  const beside = numbers.findIndex(
    (number) =>
      !percent.test(text.slice(number.end, number.end + 2)) && markBeside(text, number, marks) !== null,
  );
  if (beside >= 0) {
    const number = numbers[beside] as WrittenNumber;
    const before = numbers[beside - 1];
    return before !== undefined && isRange(text, before, number) ? before : number;
  }
  const others = numbers.filter(({ end }) => {
    const after = text.slice(end, end + 8);
    return !percent.test(after) && !measure.test(after);
  });
  return others.find(({ start, end }) => !touchesLetter(text, start, end)) ?? others[0] ?? null;
}

export function isRange(text: string, from: WrittenNumber, to: WrittenNumber): boolean {
  const length = ({ parts }: WrittenNumber) => parts[0]?.digits.length ?? 0;
  return rangeSign.test(text.slice(from.end, to.start)) && Math.abs(length(to) - length(from)) <= 1;
}

function touchesLetter(text: string, start: number, end: number): boolean {
  return /\p{L}/u.test(text[start - 1] ?? '') || /\p{L}/u.test(text[end] ?? '');
}

/** Joins detached cents to their number: `18€95`, a final `12$ 50`, and `€ 12 99` from superscript cents. */
export function joinCents(
  text: string,
  numbers: readonly WrittenNumber[],
  marks: readonly CurrencyMark[],
): WrittenNumber[] {
  const joined: WrittenNumber[] = [];
  for (const number of numbers) {
    const last = joined.at(-1);
    if (last !== undefined && isWhole(last) && isCents(text, last, number, marks)) {
      const digits = (number.parts[0] as { digits: string }).digits;
      joined[joined.length - 1] = {
        start: last.start,
        end: number.end,
        parts: [...last.parts, { separator: '·', digits }],
      };
    } else joined.push(number);
  }
  return joined;
}

function isWhole({ parts }: WrittenNumber): boolean {
  return parts.every(({ separator, digits }, i) => i === 0 || (separator !== '·' && digits.length === 3));
}

function isCents(
  text: string,
  whole: WrittenNumber,
  cents: WrittenNumber,
  marks: readonly CurrencyMark[],
): boolean {
  if (cents.parts.length > 1 || cents.parts[0]?.separator !== '' || cents.parts[0].digits.length !== 2)
    return false;
  const after = text.slice(cents.end).trim();
  const between = text.slice(whole.end, cents.start);
  const mark = marks.find(({ start }) => start >= whole.end && start < cents.start);
  const opening = text.slice(0, whole.start).trimEnd().length;
  const opens = marks.some(({ end }) => end === opening);
  if (mark !== undefined) {
    // In `£50£60` the second mark opens another price.
    if (opens) return false;
    const tight = between === mark.text;
    return (
      mark.kind === 'sure' &&
      (tight ? !/^[\p{L}\d%]/u.test(after) : between.trimEnd() === mark.text && after === '')
    );
  }
  if (between !== ' ') return false;
  const closing = text.length - text.slice(cents.end).trimStart().length;
  return (opening === 0 || opens) && (after === '' || marks.some(({ start }) => start === closing));
}
