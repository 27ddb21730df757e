import { minorDigits } from '../prices/currencies.ts';
import {
  type Decimal,
  decimal,
  divideDecimals,
  formatDecimal,
  multiplyDecimals,
  unitsAt,
} from '../prices/decimal.ts';
import type { Comparable } from './comparable.ts';
import { type Confidence, judgeConfidence } from './confidence.ts';
import type { PriceObservation } from './price-observation.ts';
import { sortedByValue, weightedPercentile } from './weighted-percentile.ts';
import { withoutOutliers } from './without-outliers.ts';

export interface Valuation extends Confidence {
  readonly currency: string;
  readonly p10: string;
  readonly p20: string;
  readonly p40: string;
  readonly median: string;
  readonly p60: string;
  readonly p80: string;
  readonly p90: string;
  readonly mean: string;
  /** The prices that decided. */
  readonly comparables: number;
  readonly sources: number;
  readonly sold: number;
  readonly ask: number;
  /** What was left out: outliers, prices in other currencies, bids, asks where sales decide. */
  readonly outliers: number;
  readonly otherCurrencies: number;
  readonly notUsed: number;
}

/** From this many sales on, what people ask says nothing more. */
const enoughSold = 5;
/** Sales count whole, asks half; a bid is what somebody hopes for, and no price. */
const typeWeights = { sold: 2n, ask: 1n, bid: 0n } as const;
const weightScale = 6;

/**
 * The verdict on an item from all that was observed of it: weighted by the source's reputation and by how well the
 * listing matches, in one currency, without outliers. Null if nothing is comparable.
 */
export function valuate(
  observations: readonly PriceObservation[],
  intakeCurrency?: string | null,
): Valuation | null {
  const currency = intakeCurrency ?? majorityCurrency(observations);
  if (currency === null) return null;
  const local = observations.filter((one) => one.currency === currency);
  const weighed = sortedByValue(local.map(weigh));
  const sales = weighed.filter(({ observation }) => observation.priceType === 'sold');
  const candidates = sales.length >= enoughSold ? sales : weighed;
  const used = withoutOutliers(candidates);
  if (used.length === 0) return null;
  const digits = minorDigits(currency);
  const at = (percent: number) => formatDecimal(weightedPercentile(used, percent, digits));
  const count = (type: string) => used.filter(({ observation }) => observation.priceType === type).length;
  return {
    currency,
    p10: at(10),
    p20: at(20),
    p40: at(40),
    median: at(50),
    p60: at(60),
    p80: at(80),
    p90: at(90),
    mean: formatDecimal(weightedMean(used, digits)),
    comparables: used.length,
    sources: new Set(used.map(({ observation }) => observation.sourceId)).size,
    sold: count('sold'),
    ask: count('ask'),
    outliers: candidates.length - used.length,
    otherCurrencies: observations.length - local.length,
    notUsed: local.length - candidates.length,
    ...judgeConfidence(used),
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

function weightedMean(used: readonly Comparable[], digits: number): Decimal {
  const scale = Math.max(...used.map(({ value }) => value.scale));
  let sum = 0n;
  let total = 0n;
  for (const { value, weight } of used) {
    sum += unitsAt(value, scale) * weight;
    total += weight;
  }
  return divideDecimals({ units: sum, scale }, { units: total, scale: 0 }, digits);
}
