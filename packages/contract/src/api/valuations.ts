import { z } from 'zod';
import { priceTypes } from '../money-fields.ts';
import { text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const money = z.string().describe('decimal text');

const valuation = z.object({
  intake_id: z.uuid(),
  currency: z.string(),
  p10: money,
  p20: money,
  p40: money,
  median: money,
  p60: money,
  p80: money,
  p90: money,
  mean: money,
  comparables: z.int().describe('prices that the valuation is based on'),
  sources: z.int(),
  sold: z.int(),
  ask: z.int(),
  outliers: z.int().describe('excluded: far from the others'),
  other_currencies: z.int().describe('excluded: in another currency'),
  not_used: z.int().describe('excluded: bids, listings of other items, asks if there are enough sales'),
  confidence: z.int().min(1).max(10),
  reasons: z
    .array(z.object({ points: z.int(), text: z.string() }))
    .describe('what raised or lowered the confidence'),
  valued_at: timestamp,
});

/** The valuation of an intake. */
export const apiValuation = valuation.meta({ id: 'Valuation' });
export type ApiValuation = z.output<typeof apiValuation>;

export const historicValuation = z
  .object({ id: z.uuid(), ...valuation.shape })
  .meta({ id: 'HistoricValuation' });
export type HistoricValuation = z.output<typeof historicValuation>;

/** For a chart: counts of the comparable prices in equal bins, with outliers separate. */
export const distribution = z
  .object({
    currency: z.string(),
    bins: z
      .array(z.object({ from: money, to: money, sold: z.int(), ask: z.int() }))
      .describe('each includes its lower bound, only the last its upper bound'),
    outliers: z
      .array(z.object({ price: money, price_type: z.enum(priceTypes), source_id: z.string() }))
      .describe('the nearest excluded prices'),
  })
  .meta({ id: 'Distribution' });
export type Distribution = z.output<typeof distribution>;

export const valuationParams = z.strictObject({ intake_id: z.uuid() });
export const valuationListQuery = z.strictObject({
  confidence_min: queryNumber(1, 10).optional(),
  tag: text(100).optional().describe('currency of the intake'),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const valuationList = pageOf(apiValuation);
export const valuationHistoryQuery = z.strictObject({ limit: pageLimit, cursor: z.uuid().optional() });
export const valuationHistory = pageOf(historicValuation);
