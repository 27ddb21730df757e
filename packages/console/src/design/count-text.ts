import type { Count, Precision } from '@holdfast/contract';

const exact = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function numberText(number: number): string {
  return exact.format(number);
}

/** "1,204", "10,000+" when counting stopped there, "≈ 1.2M" when the database only guesses. */
export function countText({ count, precision }: Count): string {
  if (precision === 'exact') return exact.format(count);
  return precision === 'at_least' ? `${short.format(count)}+` : `≈ ${short.format(count)}`;
}

const order: readonly Precision[] = ['exact', 'at_least', 'estimate'];

/** A sum is as sure as the least sure of what it adds up. */
export function sumCounts(counts: readonly Count[]): Count {
  return counts.reduce<Count>(
    (sum, { count, precision }) => ({
      count: sum.count + count,
      precision: order.indexOf(precision) > order.indexOf(sum.precision) ? precision : sum.precision,
    }),
    { count: 0, precision: 'exact' },
  );
}
