import { z } from 'zod';
import { checkedCrawlOptions, sessionFields } from './crawl-options.ts';
import { executors, type JobStatus, jobKinds, jobStatuses, type RequestedAction } from './job-lifecycle.ts';
import { moment } from './moment.ts';
import { checkRendering, renderFields } from './render-options.ts';
import { isStorable, notStorable, pageUrl, text } from './text-fields.ts';

/** What a visit job is to do: its payload. */
export const visitOptions = z.looseObject({ url: pageUrl, ...renderFields, ...sessionFields });
export type VisitOptions = z.output<typeof visitOptions>;

const collectPayload = z.looseObject({
  intake_id: z.uuid().optional(),
  query: z.record(z.string(), z.unknown()).optional(),
});

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner));
}

export const maxPayloadLength = 1_000_000;

export const jobRequestFields = {
  priority: z.int().min(-1000).max(1000).default(0).describe('higher runs first'),
  run_at: moment.optional().describe('earliest start'),
  dedupe_key: text(500).optional().describe("unique among the owner's live jobs"),
  idempotency_key: text(200)
    .optional()
    .describe('a repeated request with the same key returns the first job'),
  max_retries: z.int().min(0).max(100).default(3),
  retry_backoff_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .describe('doubles with every retry, up to 24 h'),
  timeout_seconds: z.int().min(1).max(604_800).optional().describe('hard deadline of one run'),
  lock_ttl_seconds: z
    .int()
    .min(1)
    .max(86_400)
    .optional()
    .describe('lease of a bot; default: timeout_seconds, otherwise 600'),
  source_id: text(200).optional().describe('collect: the source to query; otherwise a reference of your own'),
  user_id: text(100).default('local').describe('owner of the job'),
};

/** A request to create a job, as the queue, the API and the command line take it. */
export const jobRequest = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('crawl'), payload: checkedCrawlOptions, ...jobRequestFields }),
    z.strictObject({
      kind: z.literal('visit'),
      payload: visitOptions.superRefine(checkRendering),
      executor: z.enum(executors).default('builtin'),
      ...jobRequestFields,
    }),
    z.strictObject({ kind: z.literal('collect'), payload: collectPayload, ...jobRequestFields }),
  ])
  .superRefine(({ payload }, { addIssue }) => {
    // Each way to make a job stores them as a profile first; what forgets to do so must not store them.
    for (const field of ['basic_auth', 'bearer_token'].filter((secret) => secret in payload))
      addIssue({
        code: 'custom',
        path: ['payload', field],
        message: 'is secret, so it must be in a profile',
      });
  })
  .refine((request) => isStorableJson(request.payload), { path: ['payload'], message: notStorable })
  .refine((request) => JSON.stringify(request.payload).length <= maxPayloadLength, {
    path: ['payload'],
    message: `must be at most ${maxPayloadLength} characters as JSON`,
  });
export type JobRequest = z.input<typeof jobRequest>;

export const jobFilter = z.strictObject({
  status: z.enum(jobStatuses).optional(),
  kind: z.enum(jobKinds).optional(),
  locked_after: moment.optional(),
  locked_before: moment.optional(),
  limit: z.int().min(1).max(1000).default(50),
  /** Id of the last job of the page before. */
  after: z.uuid().optional(),
});
export type JobFilter = z.input<typeof jobFilter>;

/** A job as people and programs see it. Columns that only the queue needs stay in the database. */
export interface Job {
  id: string;
  kind: (typeof jobKinds)[number];
  executor: (typeof executors)[number];
  payload: Record<string, unknown>;
  status: JobStatus;
  requested_action: RequestedAction | null;
  priority: number;
  progress_percentage: number;
  retry_count: number;
  max_retries: number;
  error_code: string | null;
  error_message: string | null;
  waits_for: string[] | null;
  /** Why its last run gave it back before its time; `waiting` puts it into words. */
  blocked_by: unknown;
  worker_id: string | null;
  fence: number;
  lease_expires_at: Date | null;
  last_heartbeat: Date | null;
  run_at: Date | null;
  next_retry_at: Date | null;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  dedupe_key: string | null;
  idempotency_key: string | null;
  source_id: string | null;
  policy_id: string | null;
  rerun_of: string | null;
  user_id: string;
}
