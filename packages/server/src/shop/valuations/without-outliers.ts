import {
  addDecimals,
  compareDecimals,
  decimal,
  multiplyDecimals,
  subtractDecimals,
} from '../prices/decimal.ts';
import { type WeightedValue, weightedPercentile } from './weighted-percentile.ts';

/** With fewer values a quarter of them is none. */
const fewest = 4;
/** Tukey's fences. */
const reach = decimal('1.5');

/**
 * Without the values further than one and a half times the interquartile range from the middle half. `values` are
 * sorted; those on the fence stay. Quartiles are computed finer than prices are written, so that rounding decides nothing.
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
