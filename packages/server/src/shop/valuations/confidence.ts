import { compareDecimals, decimal, multiplyDecimals, subtractDecimals } from '../prices/decimal.ts';
import type { Comparable } from './comparables.ts';
import { weightedPercentile } from './weighted-percentile.ts';

export interface Confidence {
  /** From 1 (a guess) to 10. */
  readonly confidence: number;
  readonly reasons: readonly ConfidenceReason[];
}

interface ConfidenceReason {
  /** Points added or subtracted. */
  readonly points: number;
  /** A sentence. */
  readonly text: string;
}

/** One point for any price at all, more for good evidence; poor matches subtract points. */
export function judgeConfidence(used: readonly Comparable[]): Confidence {
  const reasons = [comparables(used), sources(used), sales(used), spread(used), matches(used)];
  const sum = reasons.reduce((total, { points }) => total + points, 1);
  return { confidence: Math.min(10, Math.max(1, sum)), reasons };
}

function comparables({ length }: readonly Comparable[]): ConfidenceReason {
  const points = length >= 20 ? 3 : length >= 10 ? 2 : length >= 5 ? 1 : 0;
  return {
    points,
    text: length === 1 ? 'There is only one comparable price.' : `There are ${length} comparable prices.`,
  };
}

function sources(used: readonly Comparable[]): ConfidenceReason {
  const count = new Set(used.map(({ observation }) => observation.sourceId)).size;
  const points = count >= 3 ? 2 : count === 2 ? 1 : 0;
  return {
    points,
    text: count === 1 ? 'All of them come from one source.' : `They come from ${count} sources.`,
  };
}

function sales(used: readonly Comparable[]): ConfidenceReason {
  const count = used.filter(({ observation }) => observation.priceType === 'sold').length;
  if (count === 0)
    return { points: 0, text: 'None of them is a sale, and asking prices are usually too high.' };
  const text = count === 1 ? 'One of them is a sale.' : `${count} of them are sales.`;
  return { points: count >= 5 ? 2 : 1, text };
}

/** The range of the middle three fifths relative to the median. */
function spread(used: readonly Comparable[]): ConfidenceReason {
  if (used.length < 3) return { points: 0, text: 'They are too few to estimate the spread of prices.' };
  const at = (percent: number) => weightedPercentile(used, percent, 6);
  const range = subtractDecimals(at(80), at(20));
  const median = at(50);
  const within = (share: string) => compareDecimals(range, multiplyDecimals(median, decimal(share))) <= 0;
  if (within('0.25')) return { points: 2, text: 'They agree closely.' };
  if (within('0.6')) return { points: 1, text: 'They agree roughly.' };
  return { points: 0, text: 'They vary widely.' };
}

function matches(used: readonly Comparable[]): ConfidenceReason {
  const strong = used.filter(
    ({ observation }) => compareDecimals(decimal(observation.matchStrength), decimal('0.7')) >= 0,
  );
  if (2 * strong.length >= used.length) return { points: 0, text: 'Most listings match the item well.' };
  if (strong.length > 0) return { points: -1, text: 'Most listings match the item only partly.' };
  return { points: -2, text: 'No listing matches the item well.' };
}
