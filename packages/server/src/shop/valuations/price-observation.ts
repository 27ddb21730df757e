import type { PriceType } from '@holdfast/contract';

/** A price point, as far as a valuation looks at it. */
export interface PriceObservation {
  /** Exact decimal. */
  readonly price: string;
  readonly currency: string;
  readonly priceType: PriceType;
  readonly sourceId: string;
  /** Of the source, decimal from 0 to 1. */
  readonly reputation: string;
  /** Decimal from 0 to 1. */
  readonly matchStrength: string;
}
