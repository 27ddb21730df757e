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
  comparables: z.int().describe('the prices that decided'),
  sources: z.int(),
  sold: z.int(),
  ask: z.int(),
  outliers: z.int().describe('left out: far from the others'),
  other_currencies: z.int().describe('left out: in another currency'),
  not_used: z.int().describe('left out: bids, listings of something else, asks where sales decide'),
  confidence: z.int().min(1).max(10),
  reasons: z
    .array(z.object({ points: z.int(), text: z.string() }))
    .describe('why the confidence is what it is'),
  valued_at: timestamp,
});

/** The verdict on an intake. */
export const apiValuation = valuation.meta({ id: 'Valuation' });
export type ApiValuation = z.output<typeof apiValuation>;

export const historicValuation = z
  .object({ id: z.uuid(), ...valuation.shape })
  .meta({ id: 'HistoricValuation' });
export type HistoricValuation = z.output<typeof historicValuation>;

/** For a picture: the counts of the prices that decided, in equal steps, and the outliers apart. */
export const distribution = z
  .object({
    currency: z.string(),
    bins: z
      .array(z.object({ from: money, to: money, sold: z.int(), ask: z.int() }))
      .describe('each from its lower edge to below the upper one, the last with it'),
    outliers: z
      .array(z.object({ price: money, price_type: z.enum(priceTypes), source_id: z.string() }))
      .describe('the nearest of those that were left out'),
  })
  .meta({ id: 'Distribution' });
export type Distribution = z.output<typeof distribution>;

export const valuationParams = z.strictObject({ intake_id: z.uuid() });
export const valuationListQuery = z.strictObject({
  confidence_min: queryNumber(1, 10).optional(),
  tag: text(100).optional().describe('of the intake'),
  user_id: text(100).optional().describe('owner; for keys that see every owner'),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const valuationList = pageOf(apiValuation);
export const valuationHistoryQuery = z.strictObject({ limit: pageLimit, cursor: z.uuid().optional() });
export const valuationHistory = pageOf(historicValuation);
