import { z } from 'zod';
import { decimalText } from '../decimal-text.ts';
import { botName, text } from '../text-fields.ts';
import { queryBoolean, queryNumber } from './query-fields.ts';

/*
 * Requests and responses of the bot API (/api/crawl). Unknown fields are ignored, because clients of the source
 * document may send more. A null field counts as absent.
 */

export const maxBatchItems = 100;
export const maxRawHtmlLength = 5_000_000;
export const maxParsedDataLength = 1_000_000;

const botId = text(100).describe('name of the calling bot; must match if the key belongs to a bot');

export const pullRequest = z
  .object({
    // A bot is registered by its first pull.
    bot_id: botName.describe(botId.description ?? ''),
    max_jobs: queryNumber(1, 100).nullish().describe('default 10'),
    domain: text(253).nullish().describe('only jobs of this host and its subdomains'),
    idempotency_key: text(200)
      .nullish()
      .describe('or the header Idempotency-Key; a repeated pull returns the same jobs'),
  })
  .meta({ id: 'PullRequest' });

/** Read from the source text of the JSON, so that no digit passes through a float. */
const price = z
  .string()
  .transform((source, context) => {
    const decimal = decimalText(source);
    if (decimal !== undefined && !decimal.startsWith('-')) return decimal;
    context.addIssue({
      code: 'custom',
      message: 'must be a number of at least 0, with up to 20 digits before and after the point',
    });
    return z.NEVER;
  })
  .meta({ type: 'number', minimum: 0, description: 'stored digit for digit; may be a string' });

const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/, 'must be three letters, such as USD')
  .transform((code) => code.toUpperCase())
  .meta({ description: 'three letters, such as USD' });

/** Any JSON, as text with its original digits. */
const parsedData = z.unknown().transform((text, context) => {
  if (text === null || (typeof text === 'string' && text.length <= maxParsedDataLength)) return text;
  context.addIssue({
    code: 'custom',
    message: `must be at most ${maxParsedDataLength} characters as JSON`,
  });
  return z.NEVER;
});

const leaseFields = {
  job_id: z.uuid().transform((id) => id.toLowerCase()),
  lease_token: text(200).nullish().describe('from the pull; without it, only bot_id is checked'),
};

const submissionFields = {
  ...leaseFields,
  success: queryBoolean,
  price: price.nullish().describe('required on success'),
  currency: currency.nullish().describe('required on success'),
  title: z.string().max(1000).nullish(),
  in_stock: queryBoolean.nullish(),
  parsed_data: parsedData.optional().describe('any JSON, up to a million characters'),
  raw_html: z.string().max(maxRawHtmlLength).nullish(),
  error_msg: z.string().max(100_000).nullish().describe('on failure; the first 2,000 characters are stored'),
};

const needsPrice = (
  {
    success,
    price,
    currency,
  }: { success: boolean; price?: string | null | undefined; currency?: string | null | undefined },
  context: z.RefinementCtx,
) => {
  if (!success) return;
  for (const [field, value] of Object.entries({ price, currency })) {
    if (value === null || value === undefined)
      context.addIssue({ code: 'custom', path: [field], message: 'is required if success is true' });
  }
};

export const submitRequest = z
  .object({ bot_id: botId, ...submissionFields })
  .superRefine(needsPrice)
  .meta({ id: 'SubmitRequest' });

/** One item of a batch; its errors are reported separately. */
export const batchItem = z.object(submissionFields).superRefine(needsPrice).meta({ id: 'BatchItem' });
export type BatchItem = z.output<typeof batchItem>;

export const submitBatchRequest = z
  .object({
    bot_id: botId,
    items: z
      .array(z.unknown())
      .min(1)
      .max(maxBatchItems)
      .describe('submits without bot_id; processed separately, answered in order'),
  })
  .meta({ id: 'SubmitBatchRequest' });

export const heartbeatRequest = z.object({ bot_id: botId, ...leaseFields }).meta({ id: 'HeartbeatRequest' });

const moment = z.iso.datetime().describe('UTC, in whole seconds');

export const pullAnswer = z
  .object({
    success: z.literal(true),
    data: z.object({
      jobs: z.array(
        z.object({
          job_id: z.uuid(),
          url: z.string(),
          priority: z.int(),
          max_retries: z.int(),
          timeout_seconds: z.int(),
          retry_count: z.int(),
          locked_until: moment,
          lease_token: z.string().describe('identifies this lock; send it with submit and heartbeat'),
        }),
      ),
      count: z.int(),
      skipped: z.int().describe('matching jobs that other bots hold, counted up to 1,000'),
    }),
  })
  .meta({ id: 'PullAnswer' });
export type PullAnswer = z.input<typeof pullAnswer>;

const submitted = z
  .union([
    z.object({
      result_id: z.uuid(),
      job_id: z.uuid(),
      status: z.literal('done'),
      price: z.number(),
      currency: z.string(),
      policy_next_run: moment.nullable(),
    }),
    z.object({
      job_id: z.uuid(),
      status: z.enum(['pending', 'failed', 'paused', 'cancelled']),
      retry_count: z.int(),
      max_retries: z.int(),
      error: z.string().optional(),
      message: z.string(),
    }),
  ])
  .meta({ id: 'SubmitOutcome' });

export const submitAnswer = z
  .object({ success: z.literal(true), data: submitted })
  .meta({ id: 'SubmitAnswer' });
export type SubmitAnswer = z.input<typeof submitAnswer>;

/** The error format of the bot API. */
export const botErrors = [
  'validation_error',
  'authentication_error',
  'job_not_found',
  'job_not_locked',
  'not_assigned',
  'lock_expired',
  'rate_limited',
  'route_not_found',
  'method_not_allowed',
  'internal_error',
] as const;
export type BotError = (typeof botErrors)[number];

const failure = { success: z.literal(false), error: z.enum(botErrors), detail: z.string() };
export const botErrorAnswer = z.object(failure).meta({ id: 'BotError' });
export type BotErrorAnswer = z.input<typeof botErrorAnswer>;

const httpStatus = z.int().describe('HTTP status that a single submit would have');
export const submitBatchAnswer = z
  .object({
    success: z.literal(true),
    data: z.object({
      items: z.array(
        z.union([
          z.object({ success: z.literal(true), status_code: httpStatus, data: submitted }),
          z.object({ ...failure, status_code: httpStatus }),
        ]),
      ),
      accepted: z.int(),
      refused: z.int(),
    }),
  })
  .meta({ id: 'SubmitBatchAnswer' });
export type SubmitBatchAnswer = z.input<typeof submitBatchAnswer>;

export const heartbeatAnswer = z
  .object({
    success: z.literal(true),
    data: z.object({
      job_id: z.uuid(),
      locked_until: moment,
      action: z
        .enum(['continue', 'pause', 'cancel'])
        .describe('pause, cancel: stop and submit success: false'),
    }),
  })
  .meta({ id: 'HeartbeatAnswer' });
export type HeartbeatAnswer = z.input<typeof heartbeatAnswer>;
