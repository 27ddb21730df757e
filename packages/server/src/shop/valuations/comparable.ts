import type { PriceObservation } from './price-observation.ts';
import type { WeightedValue } from './weighted-percentile.ts';

/** A price with its weight, and what it was made of. */
export interface Comparable extends WeightedValue {
  readonly observation: PriceObservation;
}
