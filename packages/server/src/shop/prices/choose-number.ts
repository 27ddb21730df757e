import type { CurrencyMark } from './currency-marks.ts';
import { markBeside } from './mark-beside.ts';
import type { WrittenNumber } from './written-numbers.ts';

const percent = /^ ?[%٪％]/;
/** In the case that measures are written in: `ft` is a foot, `Ft` a forint. */
const measure =
  /^ ?(?:mm|cm|dm|km|m²|m2|m³|ft|ft²|sqft|sq ?ft|yds?|inch(?:es)?|mg|g|kg|lbs?|oz|ml|cl|dl|l|mAh|[kMGT]B|[kMG]?Hz|k?W|kWh|hrs?|min|мм|см|кг|гр|мл|шт)(?![\p{L}\d])/u;
const rangeSign = /^ ?(?:-|–|—|~|～|to|bis|à|do|до) ?$/;

/** The number that is the price: the first beside a currency, else the first that is no share, measure or part of a word. */
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

function isRange(text: string, from: WrittenNumber, to: WrittenNumber): boolean {
  const length = ({ parts }: WrittenNumber) => parts[0]?.digits.length ?? 0;
  return rangeSign.test(text.slice(from.end, to.start)) && Math.abs(length(to) - length(from)) <= 1;
}

function touchesLetter(text: string, start: number, end: number): boolean {
  return /\p{L}/u.test(text[start - 1] ?? '') || /\p{L}/u.test(text[end] ?? '');
}
