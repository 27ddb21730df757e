import { z } from 'zod';
import { moment } from '../moment.ts';
import { pageUrl, text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

/** The previous, different price of the same page and owner. */
const priceChange = z
  .object({ previous_result_id: z.uuid(), previous_price: z.string(), previous_currency: z.string() })
  .meta({ id: 'PriceDifference' });

const result = z.object({
  id: z.uuid(),
  job_id: z.uuid(),
  policy_id: z.uuid().nullable(),
  user_id: z.string(),
  url: z.string(),
  price: z.string().nullable().describe('decimal text, exactly as found'),
  currency: z.string().nullable(),
  title: z.string().nullable(),
  in_stock: z.boolean().nullable(),
  actor: z.string().describe('submitted by: bot:… or supervisor:…'),
  has_raw_html: z.boolean(),
  price_change: priceChange.nullable().describe('null: unchanged, or the first price'),
  crawled_at: timestamp,
});

/** The result of a visit. */
export const listedResult = result.meta({ id: 'ListedResult' });
/** Inside, with Dates. */
export type ListedResult = z.output<typeof listedResult>;

export const shownResult = z
  .object({ ...result.shape, parsed_data: z.unknown().describe('other data extracted from the page') })
  .meta({ id: 'Result' });
export type ShownResult = z.output<typeof shownResult>;

const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be three letters')
  .transform((code) => code.toUpperCase());

export const resultFilterFields = {
  currency: currency.optional(),
  in_stock: queryBoolean.optional(),
  crawled_after: moment.optional(),
  crawled_before: moment.optional(),
  created_after: moment.optional().describe('same as crawled_after'),
  created_before: moment.optional(),
  url: pageUrl.optional().describe('exact URL'),
  policy_id: z.uuid().optional(),
  job_id: z.uuid().optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
};
export const resultFilter = z.strictObject(resultFilterFields);
export type ResultFilter = z.output<typeof resultFilter>;

export const resultListQuery = z.strictObject({
  ...resultFilterFields,
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const resultList = pageOf(listedResult);
export const resultParams = z.strictObject({ id: z.uuid() });

export const priceHistoryQuery = z
  .strictObject({
    policy_id: z.uuid().optional(),
    url: pageUrl.optional(),
    currency: currency.optional(),
    crawled_after: moment.optional(),
    crawled_before: moment.optional(),
    user_id: text(100).optional().describe('owner; for keys that see all owners'),
    limit: pageLimit,
    cursor: z.uuid().optional(),
  })
  .refine(
    ({ policy_id, url }) => (policy_id === undefined) !== (url === undefined),
    'must have either policy_id or url',
  );

export const historicPrice = z
  .object({
    result_id: z.uuid(),
    price: z.string(),
    currency: z.string(),
    in_stock: z.boolean().nullable(),
    price_change: priceChange.nullable(),
    crawled_at: timestamp,
  })
  .meta({ id: 'HistoricPrice' });
export type HistoricPrice = z.output<typeof historicPrice>;
export const priceHistory = pageOf(historicPrice);

/** Two consecutive results of a page that differ in price or currency. */
export const changedPrice = z
  .object({
    result_id: z.uuid(),
    job_id: z.uuid(),
    policy_id: z.uuid().nullable(),
    user_id: z.string(),
    url: z.string(),
    ...priceChange.shape,
    price: z.string(),
    currency: z.string(),
    changed_at: timestamp,
  })
  .meta({ id: 'PriceChange' });
export type ChangedPrice = z.output<typeof changedPrice>;
export const priceChangeListQuery = z.strictObject({
  policy_id: z.uuid().optional(),
  url: pageUrl.optional().describe('exact URL'),
  changed_after: moment.optional(),
  changed_before: moment.optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const priceChangeList = pageOf(changedPrice);
