import { z } from 'zod';
import { moment } from '../moment.ts';
import { botName, text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const settings = {
  enabled: z.boolean().describe('false: all calls of the bot are refused'),
  max_jobs_per_pull: z.int().min(1).max(100),
  max_pulls_per_minute: z.int().min(1).max(1_000_000).nullable().describe('null: no limit'),
  allowed_domains: z
    .array(text(253))
    .min(1)
    .max(100)
    .nullable()
    .describe('only jobs of these hosts and their subdomains; null: all'),
  lock_ttl_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .nullable()
    .describe('lease of its jobs, unless the job or its policy sets one'),
};

/** Fields of a bot that an operator may change. */
export const botChange = z
  .strictObject(settings)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must name at least one field to change')
  .meta({ id: 'BotChange' });
export type BotChange = z.input<typeof botChange>;

export const newBot = z
  .strictObject({
    bot_id: botName.describe('name of the bot'),
    user_id: text(100).optional().describe('owner; default: the caller'),
    ...z.strictObject(settings).partial().shape,
    expires_at: moment.optional().describe('expiry of its token'),
  })
  .meta({ id: 'NewBot' });
export type NewBot = z.input<typeof newBot>;

/** An external program that pulls visit jobs and submits results. */
export const bot = z
  .object({
    bot_id: z.string(),
    user_id: z.string(),
    ...settings,
    created_at: timestamp,
    last_seen_at: timestamp.nullable(),
    pulls: z.int(),
    jobs_pulled: z.int(),
    jobs_succeeded: z.int(),
    jobs_failed: z.int(),
    jobs_held: z.int().describe('jobs that it currently holds'),
    pulls_last_hour: z.int().describe('since the start of the previous full hour'),
    success_rate: z
      .number()
      .nullable()
      .describe('share of successful submissions, 0 to 1; null before the first'),
  })
  .meta({ id: 'Bot' });
/** Inside, with Dates. */
export type Bot = z.output<typeof bot>;

export const createdBot = z
  .object({
    ...bot.shape,
    token: z.string().describe('API key of this bot; shown once'),
  })
  .meta({ id: 'CreatedBot' });
export type CreatedBot = z.output<typeof createdBot>;

export const botParams = z.strictObject({ bot_id: text(100) });
export const botOwnerQuery = z.strictObject({
  user_id: text(100).optional().describe('owner, for keys that see all owners; default: the caller'),
});
export const botListQuery = z.strictObject({
  enabled: queryBoolean.optional(),
  user_id: text(100).optional().describe('owner, for keys that see all owners'),
  limit: pageLimit,
  cursor: text(500).optional(),
});
export const botList = pageOf(bot);
