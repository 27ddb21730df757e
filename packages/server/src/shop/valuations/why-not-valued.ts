import { compareDecimals, decimal } from '../prices/decimal.ts';
import type { PriceObservation } from './price-observation.ts';

/** Why nothing of what was observed of an item decides its worth (sort-out.ts), as the end of a sentence. */
export function whyNotValued(
  observations: readonly PriceObservation[],
  intakeCurrency: string | null,
): string {
  if (observations.length === 0) return 'no price of it was observed yet';
  const counts = new Map<string, number>();
  for (const observation of observations) {
    const reason = reasonOf(observation, intakeCurrency);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const parts = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} ${reason}`);
  const observed = observations.length === 1 ? 'one price was' : `${observations.length} prices were`;
  return `${observed} observed, and none can be compared (${parts.join(', ')})`;
}

function reasonOf(observation: PriceObservation, currency: string | null): string {
  const { priceType, matchStrength, reputation } = observation;
  if (currency !== null && observation.currency !== currency) return `not in ${currency}`;
  if (priceType === 'bid') return 'bid, not sold';
  if (compareDecimals(decimal(matchStrength), decimal('0')) === 0) return 'of another item';
  if (compareDecimals(decimal(reputation), decimal('0')) === 0) return 'from sources of weight 0';
  return 'too slight to weigh';
}
