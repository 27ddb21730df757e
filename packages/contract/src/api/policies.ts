import { z } from 'zod';
import { crawlFlagNames, crawlOptions } from '../crawl-options.ts';
import { executors } from '../job-lifecycle.ts';
import { moment } from '../moment.ts';
import { type PolicyKind, policyChange, policyFields, policyKinds } from '../policy.ts';
import { signInFields } from '../profile.ts';
import { strictFields } from '../strict-fields.ts';
import { text } from '../text-fields.ts';
import { metadata, visitShape } from './jobs.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';
import { withoutDefaults } from './without-defaults.ts';

const { url: _url, needs_private: _private, ...crawlShape } = withoutDefaults(crawlOptions.shape);

/** Options of a policy's jobs, besides their URL: the same as for a single job. */
export const policyOptions = {
  crawl: strictFields({ ...crawlShape, ...signInFields, metadata }, crawlFlagNames).meta({
    id: 'CrawlOptions',
  }),
  visit: strictFields(visitShape).meta({ id: 'VisitOptions' }),
} as const satisfies Record<PolicyKind, z.ZodType>;

const { user_id: _owner, kind: _kind, options: _options, executor, ...fields } = policyFields;

export const newPolicy = z
  .discriminatedUnion('kind', [
    strictFields({ kind: z.literal('crawl'), ...fields, options: policyOptions.crawl.default({}) }),
    strictFields({
      kind: z.literal('visit'),
      ...fields,
      executor,
      options: policyOptions.visit.default({}),
    }),
  ])
  .meta({ id: 'NewPolicy' });
export type NewPolicy = z.input<typeof newPolicy>;

export const changedPolicy = policyChange.meta({
  id: 'PolicyChange',
  minProperties: 1,
  examples: [{ frequency_hours: 12 }],
});

const policy = z.object({
  id: z.uuid(),
  user_id: z.string(),
  kind: z.enum(policyKinds),
  url: z.string(),
  executor: z.enum(executors),
  options: z.record(z.string(), z.unknown()),
  frequency_hours: z.number(),
  priority: z.int(),
  lock_ttl_seconds: z.int(),
  max_retries: z.int(),
  retry_backoff_minutes: z.int(),
  timeout_minutes: z.int().nullable(),
  enabled: z.boolean(),
  next_run_at: timestamp.describe('when its next job is created; set again when its live job ends'),
  last_success_at: timestamp.nullable(),
  last_failed_at: timestamp.nullable(),
  failure_count: z.int().describe('final failures since the last success'),
  live_job_id: z.uuid().nullable().describe('its unfinished job; no other is created meanwhile'),
  created_at: timestamp,
  updated_at: timestamp,
});
export const apiPolicy = policy.meta({ id: 'Policy' });
/** The JSON form. */
export type ApiPolicy = z.input<typeof apiPolicy>;

export const runOutcomes = ['due', 'live_job_exists'] as const;
export const ranPolicy = z
  .object({
    ...policy.shape,
    outcome: z
      .enum(runOutcomes)
      .describe('due: its job is created at once; live_job_exists: see live_job_id'),
  })
  .meta({ id: 'RanPolicy' });
export type RanPolicy = z.input<typeof ranPolicy>;

export const policyParams = z.strictObject({ id: z.uuid() });
export const policyListQuery = z.strictObject({
  enabled: queryBoolean.optional(),
  kind: z.enum(policyKinds).optional(),
  executor: z.enum(executors).optional(),
  priority: queryNumber(-1000, 1000).optional(),
  created_after: moment.optional(),
  created_before: moment.optional(),
  next_run_after: moment.optional(),
  next_run_before: moment.optional(),
  search: text(2048).optional().describe('part of the URL, ignoring case'),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const policyList = pageOf(apiPolicy);
