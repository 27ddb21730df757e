import { z } from 'zod';
import { crawlFlagNames, crawlOptions } from '../crawl-options.ts';
import { jobRequestFields, maxPayloadLength } from '../job.ts';
import { executors, jobKinds, jobStatuses, requestedActions, userActions } from '../job-lifecycle.ts';
import { moment } from '../moment.ts';
import { strictFields } from '../strict-fields.ts';
import { pageUrl, text } from '../text-fields.ts';
import { waiting } from '../waiting.ts';
import { changeCounts } from './change-counts.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean, queryList, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';
import { withoutDefaults } from './without-defaults.ts';

/** Keys that Holdfast gives to jobs of its own; a user's job must not stand in their way. */
export const reservedDedupeKeys = ['policy:', 'intake:', 'rerun:'] as const;

const metadata = z
  .record(text(100), z.unknown())
  .optional()
  .describe('kept with the job for those who sent it');

/** What a user may ask of a crawl: which private addresses it may reach is not a user's decision, so there is no such field. */
const { needs_private: _private, ...crawlShape } = withoutDefaults(crawlOptions.shape);
const crawlPayload = strictFields({ ...crawlShape, metadata }, crawlFlagNames);
const visitPayload = strictFields({ url: pageUrl, metadata });
const collectPayload = strictFields({
  intake_id: z.uuid().describe('of the owner; source_id names whom to ask'),
  metadata,
});

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
        executor: z.enum(executors).default('builtin').describe('our own runners, or an outside bot'),
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
  url: z.string().nullable().describe('of the payload'),
  payload: z.record(z.string(), z.unknown()),
  status: z.enum(jobStatuses),
  requested_action: z
    .enum(requestedActions)
    .nullable()
    .describe('what the holder of a running job was asked to do'),
  priority: z.int(),
  progress_percentage: z.int(),
  retry_count: z.int(),
  max_retries: z.int(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  waits_for: z
    .array(z.string())
    .nullable()
    .describe('private origins that a worker must be allowed to fetch to run it; null: any worker may'),
  worker_id: z.string().nullable().describe('who holds it, or held it last'),
  fence: z.int().describe('the number of its last lease'),
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
  rerun_of: z.uuid().nullable().describe('the completed job that this one runs again'),
  user_id: z.string(),
  allowed_actions: z
    .array(z.enum([...userActions, 'retryUrls']))
    .describe('what can be done to it now; in lists, what its status allows'),
});
export const apiJob = job.meta({ id: 'Job' });

const waits = {
  waiting: waiting
    .nullable()
    .describe(
      'what the job waits for, until when, and what ends it; null while it runs, is paused or is finished',
    ),
};

export const listedJob = z.object({ ...job.shape, ...waits }).meta({ id: 'ListedJob' });
/** As a client sees it in lists, in JSON. */
export type ListedJob = z.input<typeof listedJob>;
/** As a client sees it, in JSON. */
export type ApiJob = z.input<typeof apiJob>;

export const deleteJobQuery = z.strictObject({
  with_results: queryBoolean
    .default(false)
    .describe('delete its result, or the price points that it found, as well'),
});
export const deletedJob = z
  .object({
    id: z.uuid(),
    kind: z.enum(jobKinds),
    status: z.enum(jobStatuses).describe('in which it was'),
    url: z.string().nullable().describe('of the payload'),
    user_id: z.string(),
    results: z.int().describe('deleted with it'),
    price_points: z.int().describe('deleted with it'),
    is_cleared: z
      .boolean()
      .describe(
        'false: pages that nobody can see any more are still being deleted, or a recrawl under way is compared with them',
      ),
  })
  .meta({ id: 'DeletedJob' });

export const crawlCounters = z
  .object({
    total_processed: z.int().describe('fetched and failed pages'),
    total_pending: z.int().describe('URLs found and not yet done'),
    current_depth: z.int(),
    fetched: z.int(),
    failed: z.int(),
    skipped: z.int(),
    redirected: z.int(),
    not_crawled: z.int().describe('URLs left over when a limit was reached'),
    off_scope: z.record(z.string(), z.int()).describe('links that led out of scope, by reason'),
    bytes: z.int(),
    current_url: z.string().nullable(),
    changes: changeCounts.nullable().describe('of a recrawl; null where nothing was compared'),
    updated_at: timestamp,
  })
  .meta({ id: 'CrawlCounters' });

export const shownJob = z
  .object({
    ...job.shape,
    ...waits,
    crawl: crawlCounters.nullable().describe('counters of a crawl; null until it has begun'),
    failed_start: z
      .object({
        worker_id: z.string().describe('the worker that is to blame'),
        count: z.int().describe('how often it happened since the last saved page'),
      })
      .nullable()
      .describe('its runner died before the first request: no retry was lost, and the job goes on by itself'),
  })
  .meta({ id: 'ShownJob' });
export type ShownJob = z.input<typeof shownJob>;

export const enqueueOutcomes = ['created', 'repeated', 'deduplicated'] as const;
export const createdJob = z
  .object({
    ...job.shape,
    outcome: z
      .enum(enqueueOutcomes)
      .describe('new, or the job of the same Idempotency-Key, or the live job of the same dedupe_key'),
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
  locked_after: moment.optional().describe('its last run began then or later'),
  locked_before: moment.optional(),
  user_id: text(100).optional().describe('owner; for keys that see every owner'),
  policy_id: z.uuid().optional(),
  source_id: text(200).optional(),
  intake_id: z.uuid().optional().describe('whose prices are collected'),
  worker_id: text(100).optional(),
  locked: queryBoolean.optional().describe('whether someone holds it now'),
  search: text(200).optional().describe('part of the URL, in any case'),
  url_prefix: text(500).optional().describe('how the URL begins, exactly'),
};
export const jobSearch = z.strictObject(filterFields);
export type JobSearch = z.output<typeof jobSearch>;

export const jobListQuery = z.strictObject({
  ...filterFields,
  limit: pageLimit,
  cursor: z.uuid().optional(),
});
export const jobList = pageOf(listedJob);

const reason = text(500).optional().describe('why; kept in the timeline');
export const actionRequest = z.strictObject({ reason }).nullish();
export const retryRequest = z
  .strictObject({
    reason,
    afresh: z.boolean().default(false).describe('start over instead of going on from the checkpoint'),
  })
  .nullish();
export const retryUrlsRequest = z
  .strictObject({
    hashes: z
      .array(z.guid())
      .min(1)
      .max(10_000)
      .optional()
      .describe('url_hash of the pages; without it, all'),
    reasons: z
      .array(text(100))
      .min(1)
      .max(100)
      .optional()
      .describe('error codes of failed pages, reasons of skipped ones; without it, all'),
  })
  .nullish();

export const maxBulkIds = 10_000;
/** Addresses write `reset-lock`, and take `resetLock` as well; so does this. */
const asAction = (given: unknown) =>
  userActions.find((action) => action.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) === given) ??
  given;
export const bulkRequest = z
  .strictObject({
    action: z.preprocess(asAction, z.enum(userActions)),
    ids: z.array(z.uuid()).min(1).max(maxBulkIds).optional(),
    filter: jobSearch
      .optional()
      .describe(
        'every job that a list with this filter shows; a retry leaves out completed ones, unless `status` names them',
      ),
    all: z.literal(true).optional().describe('needed with a filter that leaves nothing out'),
    cursor: z.uuid().optional().describe('next_cursor of an answer that ran out of time'),
    reason,
    afresh: z.boolean().default(false).describe('of a retry: start over'),
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
      message: 'must leave something out, or "all": true must say that every job is meant',
    },
  );
export const bulkAnswer = z
  .object({
    action: z.enum(userActions),
    outcomes: z.object({
      done: z.int().describe('jobs whose status has changed, or that run again as a new one'),
      requested: z.int().describe('running jobs whose holders were asked'),
      not_allowed: z.int().describe('jobs in a status that does not allow it'),
      over_quota: z.int().describe('jobs that would have exceeded max_live_jobs of this key'),
      not_found: z.int().describe('ids of no job that this key may see'),
    }),
    next_cursor: z
      .string()
      .nullable()
      .describe('repeat with it as `cursor`: time ran out before all were done'),
  })
  .meta({ id: 'BulkAnswer' });
