import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  divideDecimals,
  multiplyDecimals,
  roundDecimal,
  subtractDecimals,
  unitsAt,
} from '../prices/decimal.ts';

/** A value with its weight, a whole number of any unit. */
export interface WeightedValue {
  readonly value: Decimal;
  readonly weight: bigint;
}

/** Sorts ascending and drops zero weights. Equal values are ordered by weight, so that percentiles do not depend on input order. */
export function sortedByValue<Item extends WeightedValue>(values: readonly Item[]): Item[] {
  return values
    .filter(({ weight }) => weight > 0n)
    .sort(
      (a, b) => compareDecimals(a.value, b.value) || (a.weight < b.weight ? -1 : a.weight > b.weight ? 1 : 0),
    );
}

/**
 * The value below which `percent` of the weight lies, linearly interpolated; each value sits in the middle of its own weight (Hazen,
 * https://en.wikipedia.org/wiki/Percentile#The_weighted_percentile_method with C = 1/2). Exact, rounded to `scale` digits. `values`
 * must be sorted and not empty.
 */
export function weightedPercentile(
  values: readonly WeightedValue[],
  percent: number,
  scale: number,
): Decimal {
  const total = values.reduce((sum, { weight }) => sum + weight, 0n);
  // Positions in units of total / 200: twice the weight below, plus the value's own, times 100.
  const wanted = BigInt(percent) * total * 2n;
  let below = 0n;
  let previous: { value: Decimal; position: bigint } | undefined;
  for (const { value, weight } of values) {
    const position = (2n * below + weight) * 100n;
    if (position >= wanted) {
      if (previous === undefined || position === wanted) return roundDecimal(value, scale);
      return between(previous, { value, position }, wanted, scale);
    }
    previous = { value, position };
    below += weight;
  }
  if (previous === undefined) throw new RangeError('There is no percentile of nothing.');
  return roundDecimal(previous.value, scale);
}

function between(
  low: { value: Decimal; position: bigint },
  high: { value: Decimal; position: bigint },
  wanted: bigint,
  scale: number,
): Decimal {
  const common = Math.max(low.value.scale, high.value.scale);
  const [a, b] = [unitsAt(low.value, common), unitsAt(high.value, common)];
  const span = high.position - low.position;
  // a + (b - a) * (wanted - low) / span, over one denominator.
  const numerator = a * span + (b - a) * (wanted - low.position);
  return divideDecimals({ units: numerator, scale: common }, { units: span, scale: 0 }, scale);
}

/** Quartiles need at least this many values. */
const fewest = 4;
/** Tukey's fences. */
const reach = decimal('1.5');

/**
 * Drops values more than 1.5 interquartile ranges outside the quartiles; values on the fence stay. `values` must be sorted. Quartiles
 * have extra digits, so that rounding decides nothing.
 */
export function withoutOutliers<Item extends WeightedValue>(values: readonly Item[]): readonly Item[] {
  if (values.length < fewest) return values;
  const scale = Math.max(...values.map(({ value }) => value.scale)) + 6;
  const lower = weightedPercentile(values, 25, scale);
  const upper = weightedPercentile(values, 75, scale);
  const range = multiplyDecimals(subtractDecimals(upper, lower), reach);
  const [low, high] = [subtractDecimals(lower, range), addDecimals(upper, range)];
  return values.filter(({ value }) => compareDecimals(value, low) >= 0 && compareDecimals(value, high) <= 0);
}
