import { z } from 'zod';
import { moment } from '../moment.ts';
import { botName, text } from '../text-fields.ts';
import { allowsScope, keyScopes } from './key-scopes.ts';
import { pageOf } from './page-of.ts';
import { pageLimit } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

const quota = (min: number) => z.int().min(min).max(1_000_000_000);

export const keyRequest = z
  .strictObject({
    name: text(200).describe('name or purpose'),
    user_id: text(100).default('local').describe('owner of what the key creates'),
    scopes: z.array(z.enum(keyScopes)).min(1).max(keyScopes.length),
    bot_id: botName
      .optional()
      .describe('the bot it belongs to (requires the scope bots); default: any bot of its owner'),
    expires_at: moment.optional().describe('must be in the future'),
    max_live_jobs: quota(0).optional(),
    max_jobs_per_day: quota(0).optional().describe('per UTC day'),
    max_requests_per_minute: quota(1).optional(),
  })
  .refine(({ bot_id, scopes }) => bot_id === undefined || allowsScope(scopes, 'bots'), {
    path: ['bot_id'],
    message: 'must come with the scope bots',
  });
export type KeyRequest = z.input<typeof keyRequest>;

/** A key without its secret, which is not stored. */
export const apiKey = z
  .object({
    id: z.uuid(),
    prefix: z.string().describe('start of its secret'),
    name: z.string(),
    user_id: z.string(),
    scopes: z.array(z.enum(keyScopes)),
    bot_id: z.string().nullable(),
    max_live_jobs: z.int().nullable(),
    max_jobs_per_day: z.int().nullable(),
    max_requests_per_minute: z.int().nullable(),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    last_used_at: timestamp.nullable().describe('accurate to a minute'),
  })
  .meta({ id: 'Key' });
/** Inside, with Dates. */
export type ApiKey = z.output<typeof apiKey>;

export const createdKey = z
  .object({ ...apiKey.shape, secret: z.string().describe('shown once') })
  .meta({ id: 'CreatedKey' });
export type CreatedKey = z.output<typeof createdKey>;

export const keyList = pageOf(apiKey);
export const keyListQuery = z.strictObject({ limit: pageLimit, cursor: z.uuid().optional() });
export const keyParams = z.strictObject({ id: z.uuid() });
