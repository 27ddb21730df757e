import { z } from 'zod';
import { currencyCode } from './money-fields.ts';
import { text } from './text-fields.ts';

const maxAttributesLength = 20_000;

const attributeValue = z.union([text(1000), z.number(), z.boolean()]);

const described = {
  title: text(1000).nullable().describe('description in the words of a listing'),
  attributes: z
    .record(text(100), attributeValue)
    .refine((value) => JSON.stringify(value).length <= maxAttributesLength, {
      message: `must be at most ${maxAttributesLength} characters as JSON`,
    })
    .describe('what distinguishes the item, such as year, mintmark, denomination and series of a coin'),
  must_agree: z
    .array(text(100))
    .max(50)
    .nullable()
    .describe('attributes that a listing must match; null: year, mintmark, denomination and grade'),
  currency: currencyCode.nullable().describe('currency of its valuation; null: that of most price points'),
  tags: z.array(text(100)).max(50),
  reference: text(200)
    .nullable()
    .describe('your own id; an import with the same reference updates the intake'),
};

const isDescribed = ({ title, attributes }: { title?: unknown; attributes?: object | undefined }) =>
  title != null || Object.keys(attributes ?? {}).length > 0;

/** An item to be priced. */
export const intakeRequest = z
  .strictObject({
    title: described.title.optional(),
    attributes: described.attributes.default({}),
    must_agree: described.must_agree.optional(),
    currency: described.currency.optional(),
    tags: described.tags.default([]),
    reference: described.reference.optional(),
  })
  .refine(isDescribed, 'must have a title or attributes')
  .meta({
    id: 'NewIntake',
    examples: [{ title: 'Morgan Dollar', attributes: { year: 1881, mintmark: 'S' } }],
  });
export type IntakeRequest = z.input<typeof intakeRequest>;

/** What is not named stays. */
export const intakeChange = z
  .strictObject(described)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must name at least one field to change')
  .meta({ id: 'IntakeChange', minProperties: 1, examples: [{ tags: ['coins'] }] });
export type IntakeChange = z.input<typeof intakeChange>;

export interface Intake {
  id: string;
  user_id: string;
  reference: string | null;
  title: string | null;
  attributes: Record<string, string | number | boolean>;
  must_agree: string[] | null;
  currency: string | null;
  tags: string[];
  created_at: Date;
  updated_at: Date;
}
