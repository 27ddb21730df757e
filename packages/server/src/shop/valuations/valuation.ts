import { minorDigits } from '../prices/currencies.ts';
import { type Decimal, divideDecimals, formatDecimal, unitsAt } from '../prices/decimal.ts';
import { type Comparable, type PriceObservation, selectComparables } from './comparables.ts';
import { type Confidence, judgeConfidence } from './confidence.ts';
import { weightedPercentile } from './weighted-percentile.ts';

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
  /** Number of prices that decided. */
  readonly comparables: number;
  readonly sources: number;
  readonly sold: number;
  readonly ask: number;
  /** Left out: outliers, prices in other currencies, and bids, poor matches and asks that do not count. */
  readonly outliers: number;
  readonly otherCurrencies: number;
  readonly notUsed: number;
}

/** Values an item from its observed prices, weighted by source reputation and match strength. Null if nothing is comparable. */
export function valuate(
  observations: readonly PriceObservation[],
  intakeCurrency?: string | null,
): Valuation | null {
  const comparables = selectComparables(observations, intakeCurrency);
  if (comparables === null) return null;
  const { currency, used, outliers, otherCurrencies, notUsed } = comparables;
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
    outliers: outliers.length,
    otherCurrencies,
    notUsed,
    ...judgeConfidence(used),
  };
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
