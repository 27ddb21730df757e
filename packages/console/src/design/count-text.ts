import type { Count, Precision } from '@holdfast/contract';

const exact = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function numberText(number: number): string {
  return exact.format(number);
}

/** For axes, where space is limited: "1,200", "25M". */
export function axisText(number: number): string {
  return Math.abs(number) < 10_000 ? exact.format(number) : short.format(number);
}

/** "1 host", "3,000 hosts". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${exact.format(count)} ${count === 1 ? one : many}`;
}

/** The digits of an exact decimal as they are, with commas between thousands: no rounding, no float. */
export function decimalText(digits: string): string {
  return digits.replace(
    /^(-?)(\d{4,})(?=\.|$)/,
    (_all, sign: string, whole: string) => `${sign}${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}`,
  );
}

/** "none", "250 ms", "1.5 s", "10 min". */
export function delayText(milliseconds: number): string {
  if (milliseconds < 1) return 'none';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 120_000
    ? `${exact.format(Math.round(milliseconds / 100) / 10)} s`
    : `${exact.format(Math.round(milliseconds / 60_000))} min`;
}

/** "1,204", "10,000+" for a lower bound, "≈ 1.2M" for an estimate. */
export function countText({ count, precision }: Count): string {
  if (precision === 'exact') return exact.format(count);
  return precision === 'at_least' ? `${short.format(count)}+` : `≈ ${short.format(count)}`;
}

const order: readonly Precision[] = ['exact', 'at_least', 'estimate'];

/** A sum is only as exact as its least exact term. */
export function sumCounts(counts: readonly Count[]): Count {
  return counts.reduce<Count>(
    (sum, { count, precision }) => ({
      count: sum.count + count,
      precision: order.indexOf(precision) > order.indexOf(sum.precision) ? precision : sum.precision,
    }),
    { count: 0, precision: 'exact' },
  );
}
