import { z } from 'zod';
import { problemsOf } from './describe-issues.ts';
import { jobRequest } from './job.ts';
import { type Executor, executors } from './job-lifecycle.ts';
import { moment } from './moment.ts';
import { pageUrl, text } from './text-fields.ts';

/** What can be run again by itself. */
export const policyKinds = ['crawl', 'visit'] as const;
export type PolicyKind = (typeof policyKinds)[number];

/** What can be changed of a policy. */
const changeable = {
  url: pageUrl.describe('start URL; unique per owner and kind'),
  executor: z.enum(executors).describe('who runs its visits'),
  frequency_hours: z
    .number()
    .min(0.0001)
    .max(87_600)
    .multipleOf(0.0001)
    .describe('hours from a successful run to the next'),
  priority: z.int().min(-1000).max(1000).describe('priority of its jobs; higher runs first'),
  lock_ttl_seconds: z.int().min(1).max(86_400).describe('lease of a bot that pulls its visit'),
  max_retries: z.int().min(0).max(100),
  retry_backoff_minutes: z
    .int()
    .min(1)
    .max(1440)
    .describe('delay after a failure; doubles with every further failure, up to 24 h'),
  timeout_minutes: z
    .int()
    .min(1)
    .max(10_080)
    .nullable()
    .describe('hard deadline of one run; default: 10 for a visit, none for a crawl'),
  enabled: z.boolean(),
  options: z
    .record(z.string(), z.unknown())
    .describe('further payload fields of its jobs, such as max_depth'),
  next_run_at: moment.describe('next run; at once if in the past'),
};

/** What a request to create a policy names, with defaults. */
export const policyFields = {
  kind: z.enum(policyKinds),
  url: changeable.url,
  executor: changeable.executor.default('builtin'),
  frequency_hours: changeable.frequency_hours.default(24),
  priority: changeable.priority.default(0),
  lock_ttl_seconds: changeable.lock_ttl_seconds.default(600),
  max_retries: changeable.max_retries.default(3),
  retry_backoff_minutes: changeable.retry_backoff_minutes.default(5),
  timeout_minutes: changeable.timeout_minutes.optional(),
  enabled: changeable.enabled.default(true),
  options: changeable.options.default({}),
  next_run_at: changeable.next_run_at.optional(),
  user_id: text(100).default('local').describe('owner of the policy and its jobs'),
};

/** A request to create a policy. A policy is good if every job that it makes is. */
export const policyRequest = z
  .strictObject(policyFields)
  .superRefine((policy, context) => {
    if ('url' in policy.options)
      context.addIssue({
        code: 'custom',
        path: ['options', 'url'],
        message: 'must not be set: use the field url',
      });
    if (policy.kind === 'crawl' && policy.executor === 'bot')
      context.addIssue({
        code: 'custom',
        path: ['executor'],
        message: 'must be builtin: bots run visits only',
      });
    if (policy.kind === 'visit' && policy.timeout_minutes === null)
      context.addIssue({
        code: 'custom',
        path: ['timeout_minutes'],
        message: 'must not be null: a visit has a deadline',
      });
    // With any good url: the policy's own has been checked in its place.
    const payload = { ...policy.options, url: 'https://example.com/' };
    const { error } = jobRequest.safeParse({ kind: policy.kind, payload });
    for (const { path, message } of error ? problemsOf(error) : [])
      context.addIssue({ code: 'custom', path: ['options', ...path.slice(1)], message });
  })
  .transform(({ timeout_minutes, ...policy }) => ({
    ...policy,
    timeout_minutes: timeout_minutes ?? (policy.kind === 'visit' ? 10 : null),
  }));
export type PolicyRequest = z.input<typeof policyRequest>;

/** A change of a policy: what is not named stays. */
export const policyChange = z
  .strictObject(changeable)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must name at least one field to change');
export type PolicyChange = z.input<typeof policyChange>;

export const policyFilter = z.strictObject({
  enabled: z.boolean().optional(),
  kind: z.enum(policyKinds).optional(),
  executor: z.enum(executors).optional(),
  priority: z.int().min(-1000).max(1000).optional(),
  created_after: moment.optional(),
  created_before: moment.optional(),
  next_run_after: moment.optional(),
  next_run_before: moment.optional(),
  search: text(2048).optional().describe('part of the URL, ignoring case'),
  limit: z.int().min(1).max(1000).default(50),
  after: z.uuid().optional().describe('id of the last policy of the previous page'),
});
export type PolicyFilter = z.input<typeof policyFilter>;

/** What to run again, and when. */
export interface Policy {
  id: string;
  user_id: string;
  kind: PolicyKind;
  url: string;
  executor: Executor;
  options: Record<string, unknown>;
  frequency_hours: number;
  priority: number;
  lock_ttl_seconds: number;
  max_retries: number;
  retry_backoff_minutes: number;
  timeout_minutes: number | null;
  enabled: boolean;
  next_run_at: Date;
  last_success_at: Date | null;
  last_failed_at: Date | null;
  failure_count: number;
  /** Its job that still has work ahead; while there is one, no other is made. */
  live_job_id: string | null;
  created_at: Date;
  updated_at: Date;
}
