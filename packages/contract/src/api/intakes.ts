import { z } from 'zod';
import { intakeRequest } from '../intake.ts';
import { text } from '../text-fields.ts';
import { apiJob, enqueueOutcomes } from './jobs.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

export const apiIntake = z
  .object({
    id: z.uuid(),
    user_id: z.string(),
    reference: z.string().nullable(),
    title: z.string().nullable(),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    must_agree: z.array(z.string()).nullable(),
    currency: z.string().nullable(),
    tags: z.array(z.string()),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Intake' });

/** A list entry, with its valuation. */
export const listedIntake = z
  .object({
    ...apiIntake.shape,
    points: z.int().describe('observed prices, counted up to 1,000'),
    valuation: z
      .object({ currency: z.string(), median: z.string(), confidence: z.int(), valued_at: timestamp })
      .nullable()
      .describe('null: no comparable price yet'),
  })
  .meta({ id: 'ListedIntake' });
export type ListedIntake = z.output<typeof listedIntake>;

export const intakeParams = z.strictObject({ id: z.uuid() });

export const intakeFilterFields = {
  tag: text(100).optional(),
  reference: text(200).optional(),
  search: text(200).optional().describe('part of the title, ignoring case'),
  valued: queryBoolean.optional().describe('whether it has a valuation'),
  confidence_min: queryNumber(1, 10).optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
};
export const intakeListQuery = z.strictObject({
  ...intakeFilterFields,
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const intakeList = pageOf(listedIntake);

export const maxImportedIntakes = 1000;
export const maxCsvLength = 1_500_000;
export const csvText = z
  .string()
  .min(1)
  .max(maxCsvLength)
  .describe('CSV with a header row; columns that are not fields of an intake become attributes');

export const intakeImport = z
  .strictObject({
    intakes: z.array(intakeRequest).min(1).max(maxImportedIntakes).optional(),
    csv: csvText.optional(),
  })
  .refine(({ intakes, csv }) => (intakes === undefined) !== (csv === undefined), 'give either intakes or csv')
  .meta({
    id: 'IntakeImport',
    examples: [{ intakes: [{ title: 'Coin' }] }, { csv: 'title,year\nCoin,1881' }],
  });

export const importedIntakes = z.object({
  data: z.array(apiIntake).describe('in the order of the request'),
  created: z.int(),
  changed: z.int().describe('existing intakes with the same reference'),
});

const stagger = z.number().min(0).max(3600).default(1).describe('seconds between the starts of two jobs');
const priority = z.int().min(-1000).max(1000).default(0);

export const enqueueIntake = z
  .strictObject({
    sources: z
      .array(text(300))
      .min(1)
      .max(200)
      .optional()
      .describe('ids; default: every enabled source with an adapter'),
    stagger_seconds: stagger.optional(),
    priority: priority.optional(),
  })
  .nullish();
export type EnqueueIntake = z.output<typeof enqueueIntake>;

export const maxEnqueuedIntakes = 500;
export const enqueueIntakes = z.strictObject({
  ids: z.array(z.uuid()).min(1).max(maxEnqueuedIntakes),
  sources: z.array(text(300)).min(1).max(200).optional(),
  stagger_seconds: stagger.optional(),
  priority: priority.optional(),
});

export const enqueuedIntake = z
  .object({
    intake_id: z.uuid(),
    source_id: z.string(),
    outcome: z.enum(enqueueOutcomes).describe('deduplicated: a live job already queries this source'),
    job: apiJob,
  })
  .meta({ id: 'EnqueuedIntake' });
export type EnqueuedIntake = z.output<typeof enqueuedIntake>;
export const enqueuedIntakeJobs = z.object({ data: z.array(enqueuedIntake) });
