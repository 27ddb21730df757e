import { z } from 'zod';
import { crawlFlagNames, crawlOptions, sessionFields } from '../crawl-options.ts';
import { jobRequestFields, maxPayloadLength } from '../job.ts';
import { executors, jobKinds, jobStatuses, requestedActions, userActions } from '../job-lifecycle.ts';
import { moment } from '../moment.ts';
import { signInFields } from '../profile.ts';
import { renderFields } from '../render-options.ts';
import { strictFields } from '../strict-fields.ts';
import { pageUrl, text } from '../text-fields.ts';
import { waiting } from '../waiting.ts';
import { changeCounts } from './change-counts.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean, queryList, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';
import { withoutDefaults } from './without-defaults.ts';

/** Reserved dedupe keys: user jobs must not use them. */
export const reservedDedupeKeys = ['policy:', 'intake:', 'rerun:'] as const;

export const metadata = z
  .record(text(100), z.unknown())
  .optional()
  .describe('your own data, stored with the job');

/** Crawl options of the API. There is none for private addresses, because API clients may not allow them. */
const { needs_private: _private, ...crawlShape } = withoutDefaults(crawlOptions.shape);
const crawlPayload = strictFields({ ...crawlShape, ...signInFields, metadata }, crawlFlagNames).meta({
  id: 'CrawlPayload',
});
/** Options of a visit, besides its URL. */
export const visitShape = { ...withoutDefaults(renderFields), ...sessionFields, ...signInFields, metadata };
const visitPayload = strictFields({ url: pageUrl, ...visitShape }).meta({ id: 'VisitPayload' });
const collectPayload = strictFields({
  intake_id: z.uuid().describe('an intake of the owner; source_id names the source to query'),
  metadata,
}).meta({ id: 'CollectPayload' });

const { idempotency_key, user_id: _, ...jobFields } = jobRequestFields;
const fields = {
  ...jobFields,
  dedupe_key: jobFields.dedupe_key.refine(
    (key) => !reservedDedupeKeys.some((reserved) => key?.startsWith(reserved)),
    `must not start with ${reservedDedupeKeys.join(' or ')}`,
  ),
};

const newJobs = <More extends z.ZodRawShape>(more: More) =>
  z
    .discriminatedUnion('kind', [
      strictFields({ kind: z.literal('crawl'), payload: crawlPayload, ...fields, ...more }),
      strictFields({
        kind: z.literal('visit'),
        payload: visitPayload,
        executor: z.enum(executors).default('builtin').describe("Holdfast's runners, or a bot"),
        ...fields,
        ...more,
      }),
      strictFields({ kind: z.literal('collect'), payload: collectPayload, ...fields, ...more }),
    ])
    .refine(
      (request) => JSON.stringify((request as { payload: unknown }).payload).length <= maxPayloadLength,
      {
        path: ['payload'],
        message: `must be at most ${maxPayloadLength} characters as JSON`,
      },
    );

export const newJob = newJobs({}).meta({ id: 'NewJob' });
export type NewJob = z.input<typeof newJob>;

export const maxBulkCreate = 1000;
const bulkJob = newJobs({ idempotency_key }).meta({ id: 'NewBulkJob' });
export const bulkCreateRequest = z.strictObject({ jobs: z.array(bulkJob).min(1).max(maxBulkCreate) });

export const jobParams = z.strictObject({ id: z.uuid() });

const job = z.object({
  id: z.uuid(),
  kind: z.enum(jobKinds),
  executor: z.enum(executors),
  url: z.string().nullable().describe('URL of the payload'),
  payload: z.record(z.string(), z.unknown()),
  status: z.enum(jobStatuses),
  requested_action: z.enum(requestedActions).nullable().describe("action requested of the job's holder"),
  priority: z.int(),
  progress_percentage: z.int(),
  retry_count: z.int(),
  max_retries: z.int(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  waits_for: z
    .array(z.string())
    .nullable()
    .describe('private origins that its worker must be allowed to fetch; null: any worker can run it'),
  worker_id: z.string().nullable().describe('current or last holder'),
  fence: z.int().describe('number of its latest lease'),
  lease_expires_at: timestamp.nullable(),
  last_heartbeat: timestamp.nullable(),
  run_at: timestamp.nullable(),
  next_retry_at: timestamp.nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  dedupe_key: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  source_id: z.string().nullable(),
  policy_id: z.uuid().nullable(),
  rerun_of: z.uuid().nullable().describe('the completed job that this job reruns'),
  user_id: z.string(),
  allowed_actions: z
    .array(z.enum([...userActions, 'retryUrls']))
    .describe('actions possible now; in lists, those its status allows'),
});
export const apiJob = job.meta({ id: 'Job' });

const waits = {
  waiting: waiting
    .nullable()
    .describe('what the job waits for and what ends the wait; null while it runs, is paused or has finished'),
};

export const listedJob = z.object({ ...job.shape, ...waits }).meta({ id: 'ListedJob' });
/** The JSON form in lists. */
export type ListedJob = z.input<typeof listedJob>;
/** The JSON form. */
export type ApiJob = z.input<typeof apiJob>;

export const deleteJobQuery = z.strictObject({
  with_results: queryBoolean.default(false).describe('also delete its result or price points'),
});
export const deletedJob = z
  .object({
    id: z.uuid(),
    kind: z.enum(jobKinds),
    status: z.enum(jobStatuses).describe('status before deletion'),
    url: z.string().nullable().describe('URL of the payload'),
    user_id: z.string(),
    results: z.int().describe('number deleted with the job'),
    price_points: z.int().describe('number deleted with the job'),
    is_cleared: z
      .boolean()
      .describe('false: hidden pages are still being deleted, or a running recrawl compares with them'),
  })
  .meta({ id: 'DeletedJob' });

export const crawlCounters = z
  .object({
    total_processed: z.int().describe('fetched and failed pages'),
    total_pending: z.int().describe('URLs found and not yet crawled'),
    current_depth: z.int(),
    fetched: z.int(),
    failed: z.int(),
    skipped: z.int(),
    redirected: z.int(),
    not_crawled: z.int().describe('URLs left when a limit was reached'),
    off_scope: z.record(z.string(), z.int()).describe('links outside the scope, by reason'),
    bytes: z.int(),
    current_url: z.string().nullable(),
    changes: changeCounts.nullable().describe('changes found by a recrawl; null otherwise'),
    updated_at: timestamp,
  })
  .meta({ id: 'CrawlCounters' });

export const shownJob = z
  .object({
    ...job.shape,
    ...waits,
    crawl: crawlCounters.nullable().describe('counters of a crawl; null until it has started'),
    failed_start: z
      .object({
        worker_id: z.string().describe('the worker on which the start failed'),
        count: z.int().describe('number of failed starts since the last saved page'),
      })
      .nullable()
      .describe(
        'set if its runner died before the first request; no retry is used, and the job continues by itself',
      ),
  })
  .meta({ id: 'ShownJob' });
export type ShownJob = z.input<typeof shownJob>;

export const enqueueOutcomes = ['created', 'repeated', 'deduplicated'] as const;
export const createdJob = z
  .object({
    ...job.shape,
    outcome: z
      .enum(enqueueOutcomes)
      .describe('created; repeated: same Idempotency-Key; deduplicated: live job with the same dedupe_key'),
  })
  .meta({ id: 'CreatedJob' });
export type CreatedJob = z.input<typeof createdJob>;
export const createdJobs = z.object({ data: z.array(createdJob) });

const filterFields = {
  status: queryList(z.enum(jobStatuses), jobStatuses.length).optional(),
  kind: z.enum(jobKinds).optional(),
  executor: z.enum(executors).optional(),
  priority_min: queryNumber(-1000, 1000).optional(),
  priority_max: queryNumber(-1000, 1000).optional(),
  created_after: moment.optional(),
  created_before: moment.optional(),
  locked_after: moment.optional().describe('last run started at or after this time'),
  locked_before: moment.optional(),
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  policy_id: z.uuid().optional(),
  source_id: text(200).optional(),
  intake_id: z.uuid().optional().describe('intake whose prices it collects'),
  worker_id: text(100).optional(),
  locked: queryBoolean.optional().describe('whether a holder has it now'),
  search: text(200).optional().describe('part of the URL, ignoring case'),
  url_prefix: text(500).optional().describe('exact prefix of the URL'),
};
export const jobSearch = z.strictObject(filterFields).meta({ id: 'JobFilter' });
export type JobSearch = z.output<typeof jobSearch>;

export const jobListQuery = z.strictObject({
  ...filterFields,
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const jobList = pageOf(listedJob);

const reason = text(500).optional().describe('reason, stored in the timeline');
export const actionRequest = z.strictObject({ reason }).meta({ id: 'ActionRequest' }).nullish();
export const retryRequest = z
  .strictObject({
    reason,
    afresh: z.boolean().default(false).describe('start over instead of continuing from the checkpoint'),
  })
  .nullish();
export const retryUrlsRequest = z
  .strictObject({
    hashes: z.array(z.guid()).min(1).max(10_000).optional().describe('url_hash of the pages; default: all'),
    reasons: z
      .array(text(100))
      .min(1)
      .max(100)
      .optional()
      .describe('error codes of failed pages or reasons of skipped pages; default: all'),
  })
  .nullish();

export const maxBulkIds = 10_000;
/** Accepts `reset-lock`, as in paths, and `resetLock`. */
const asAction = (given: unknown) =>
  userActions.find((action) => action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) === given) ??
  given;
export const bulkRequest = z
  .strictObject({
    action: z.preprocess(asAction, z.enum(userActions)),
    ids: z.array(z.uuid()).min(1).max(maxBulkIds).optional(),
    filter: jobSearch
      .optional()
      .describe('all jobs that match the filter; a retry skips completed jobs unless `status` includes them'),
    all: z.literal(true).optional().describe('required if the filter matches everything'),
    cursor: z.uuid().optional().describe('next_cursor of a response that ran out of time'),
    reason,
    afresh: z.boolean().default(false).describe('for a retry: start over'),
  })
  .refine(
    ({ ids, filter }) => (ids === undefined) !== (filter === undefined),
    'must have either ids or a filter',
  )
  .refine(
    ({ filter, all }) =>
      filter === undefined || all || Object.values(filter).some((value) => value !== undefined),
    {
      path: ['filter'],
      message: 'must exclude some jobs; to select all jobs, set "all": true',
    },
  );
export const bulkAnswer = z
  .object({
    action: z.enum(userActions),
    outcomes: z.object({
      done: z.int().describe('jobs whose status changed, or that run again as a new job'),
      requested: z.int().describe('running jobs whose holders were asked to stop'),
      not_allowed: z.int().describe('jobs whose status does not allow the action'),
      over_quota: z.int().describe("jobs that would exceed the key's max_live_jobs"),
      not_found: z.int().describe('ids without a job visible to this key'),
    }),
    next_cursor: z
      .string()
      .nullable()
      .describe('set if time ran out: repeat the request with it as `cursor`'),
  })
  .meta({ id: 'BulkAnswer' });
