import { z } from 'zod';
import { moment } from '../moment.ts';
import { currencyCode, decimalPrice, priceTypes, strengthText } from '../money-fields.ts';
import { pageUrl, text } from '../text-fields.ts';
import { csvText } from './intakes.ts';
import { pageOf } from './page-of.ts';
import { pageLimit } from './query-fields.ts';
import { sourceId } from './sources.ts';
import { timestamp } from './timestamp.ts';

const point = z.object({
  id: z.uuid(),
  intake_id: z.uuid(),
  source_id: z.string(),
  dedupe_key: z.string().describe('unique per intake and source'),
  price: z.string().describe('decimal text, exactly as found'),
  currency: z.string(),
  price_type: z.enum(priceTypes),
  match_strength: z.string().describe('how well the listing matches the item: "0.000" to "1.000"'),
  external_id: z.string().nullable(),
  listing_url: z.string().nullable(),
  listing_title: z.string().nullable(),
  listing_date: timestamp.nullable(),
  observed_at: timestamp,
  job_id: z.uuid().nullable().describe('null: added by hand'),
  actor: z.string(),
});

/** One observed price of an intake. */
export const listedPricePoint = point.meta({ id: 'ListedPricePoint' });
export type ListedPricePoint = z.output<typeof listedPricePoint>;
export const shownPricePoint = z
  .object({
    ...point.shape,
    listing_attributes: z.record(z.string(), z.unknown()).nullable(),
    raw: z.unknown().describe('the listing as returned by the source'),
  })
  .meta({ id: 'PricePoint' });

export const pricePointParams = z.strictObject({ id: z.uuid() });
export const pricePointListQuery = z.strictObject({
  intake_id: z.uuid().optional(),
  source_id: sourceId.optional(),
  job_id: z.uuid().optional(),
  price_type: z.enum(priceTypes).optional(),
  currency: currencyCode.optional(),
  observed_after: moment.optional(),
  observed_before: moment.optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const pricePointList = pageOf(listedPricePoint);

/** A manually added price. */
export const newPricePoint = z
  .strictObject({
    price: decimalPrice,
    currency: currencyCode,
    price_type: z.enum(priceTypes).default('sold'),
    title: text(1000).nullish(),
    url: pageUrl.nullish(),
    date: moment.or(z.iso.date()).nullish().describe('date of the listing or sale'),
    external_id: text(400).nullish(),
    match_strength: strengthText.nullish().describe('default: computed from the title'),
    attributes: z.record(text(100), z.union([text(1000), z.number(), z.boolean()])).nullish(),
  })
  .meta({ id: 'NewPricePoint' });
export type NewPricePoint = z.input<typeof newPricePoint>;

export const maxImportedPoints = 2000;
export const pricePointImport = z
  .strictObject({
    source_id: sourceId.describe('a source with the adapter `import`'),
    price_points: z.array(newPricePoint).min(1).max(maxImportedPoints).optional(),
    csv: csvText
      .optional()
      .describe('CSV with a header row: price, currency, price_type, title, url, date …'),
  })
  .refine(
    ({ price_points, csv }) => (price_points === undefined) !== (csv === undefined),
    'give either price_points or csv',
  )
  .meta({
    id: 'PricePointImport',
    examples: [{ source_id: 'x', price_points: [{ price: '19.99', currency: 'USD', title: 'Coin' }] }],
  });
export const importedPricePoints = z
  .object({
    added: z.int(),
    strengthened: z.int().describe('existing points that now have a stronger match'),
    kept: z.int().describe('existing points that stay as they are'),
  })
  .meta({ id: 'ImportedPricePoints' });
