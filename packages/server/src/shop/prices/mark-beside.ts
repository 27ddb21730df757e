import type { CurrencyMark } from './currency-marks.ts';
import type { WrittenNumber } from './written-numbers.ts';

/** What may stand between an amount and its currency: `Kr: 5`, `1.198,- Kr`, `500/- Rs`. */
const gap = /^[\s:.,*~=()\-–—/']{0,5}$/;
const narrowGap = /^\s{0,2}$/;

/**
 * The mark beside a number, before or after it. Of `$ SGD 4.90` the one that says more; of two that say the same, the
 * one before.
 */
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

export function saysMore(mark: CurrencyMark, than: CurrencyMark): boolean {
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
