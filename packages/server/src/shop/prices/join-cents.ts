import type { CurrencyMark } from './currency-marks.ts';
import type { WrittenNumber } from './written-numbers.ts';

/**
 * Cents that stand apart belong to their number: `18€95`, `12$ 50` at the end of the text, and `€ 12 99`, as small raised
 * cents read once their markup is gone.
 */
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
