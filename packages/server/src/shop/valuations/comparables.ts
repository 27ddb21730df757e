import type { PriceType } from '@holdfast/contract';
import { compareDecimals, decimal, divideDecimals, multiplyDecimals, unitsAt } from '../prices/decimal.ts';
import { sortedByValue, type WeightedValue, withoutOutliers } from './weighted-percentile.ts';

/** The part of a price point that a valuation uses. */
export interface PriceObservation {
  /** Exact decimal. */
  readonly price: string;
  readonly currency: string;
  readonly priceType: PriceType;
  readonly sourceId: string;
  /** Reputation of the source, decimal from 0 to 1. */
  readonly reputation: string;
  /** Decimal from 0 to 1. */
  readonly matchStrength: string;
}

/** A price with its weight, and the observation behind it. */
export interface Comparable extends WeightedValue {
  readonly observation: PriceObservation;
}

/** Observed prices by their role in a valuation. */
export interface Comparables {
  readonly currency: string;
  /** In ascending order. */
  readonly used: readonly Comparable[];
  readonly outliers: readonly Comparable[];
  readonly otherCurrencies: number;
  /** Bids, listings of other items, and asks where sales decide. */
  readonly notUsed: number;
}

/** With at least this many sales, asking prices are ignored. */
const enoughSold = 5;
/** Sales count fully, asks half, bids not at all. */
const typeWeights = { sold: 2n, ask: 1n, bid: 0n } as const;
const weightScale = 6;

/** The prices that a valuation compares, in one currency and without outliers. Null if nothing is comparable. */
export function selectComparables(
  observations: readonly PriceObservation[],
  intakeCurrency?: string | null,
): Comparables | null {
  const currency = intakeCurrency ?? majorityCurrency(observations);
  if (currency === null) return null;
  const local = observations.filter((one) => one.currency === currency);
  const weighed = sortedByValue(local.map(weigh));
  const sales = weighed.filter(({ observation }) => observation.priceType === 'sold');
  const candidates = sales.length >= enoughSold ? sales : weighed;
  const used = withoutOutliers(candidates);
  if (used.length === 0) return null;
  const isUsed = new Set(used);
  return {
    currency,
    used,
    outliers: candidates.filter((candidate) => !isUsed.has(candidate)),
    otherCurrencies: observations.length - local.length,
    notUsed: local.length - candidates.length,
  };
}

function weigh(observation: PriceObservation): Comparable {
  const weight = multiplyDecimals(decimal(observation.reputation), decimal(observation.matchStrength));
  const whole = unitsAt(divideDecimals(weight, decimal('1'), weightScale), weightScale);
  return {
    value: decimal(observation.price),
    weight: whole * typeWeights[observation.priceType],
    observation,
  };
}

/** The most frequent currency; on a tie, the first in the alphabet. */
function majorityCurrency(observations: readonly PriceObservation[]): string | null {
  const counts = new Map<string, number>();
  for (const { currency } of observations) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return most?.[0] ?? null;
}

/** Why selectComparables found nothing, as the end of a sentence. */
export function whyNotValued(
  observations: readonly PriceObservation[],
  intakeCurrency: string | null,
): string {
  if (observations.length === 0) return 'no price has been observed yet';
  const counts = new Map<string, number>();
  for (const observation of observations) {
    const reason = reasonOf(observation, intakeCurrency);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} ${reason}`);
  const observed = observations.length === 1 ? 'one price was' : `${observations.length} prices were`;
  return `${observed} observed, but none is comparable (${parts.join(', ')})`;
}

function reasonOf(observation: PriceObservation, currency: string | null): string {
  const { priceType, matchStrength, reputation } = observation;
  if (currency !== null && observation.currency !== currency) return `not in ${currency}`;
  if (priceType === 'bid') return 'bid, not sold';
  if (compareDecimals(decimal(matchStrength), decimal('0')) === 0) return 'of another item';
  if (compareDecimals(decimal(reputation), decimal('0')) === 0) return 'from sources of weight 0';
  return 'with negligible weight';
}
