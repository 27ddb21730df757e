import { decimal, divideDecimals, multiplyDecimals, unitsAt } from '../prices/decimal.ts';
import type { Comparable } from './comparable.ts';
import type { PriceObservation } from './price-observation.ts';
import { sortedByValue } from './weighted-percentile.ts';
import { withoutOutliers } from './without-outliers.ts';

/** Observed prices by the part that they have in a verdict. */
export interface SortedOut {
  readonly currency: string;
  /** In ascending order. */
  readonly used: readonly Comparable[];
  readonly outliers: readonly Comparable[];
  readonly otherCurrencies: number;
  /** Bids, listings of something else, asks where sales decide. */
  readonly notUsed: number;
}

/** From this many sales on, what people ask says nothing more. */
const enoughSold = 5;
/** Sales count whole, asks half; a bid is what somebody hopes for, and no price. */
const typeWeights = { sold: 2n, ask: 1n, bid: 0n } as const;
const weightScale = 6;

/** Null if nothing is comparable. */
export function sortOut(
  observations: readonly PriceObservation[],
  intakeCurrency?: string | null,
): SortedOut | null {
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

/** The currency of most observations; of two with as many, the first in the alphabet. */
function majorityCurrency(observations: readonly PriceObservation[]): string | null {
  const counts = new Map<string, number>();
  for (const { currency } of observations) counts.set(currency, (counts.get(currency) ?? 0) + 1);
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return most?.[0] ?? null;
}
