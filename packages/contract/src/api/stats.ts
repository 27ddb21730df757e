import { z } from 'zod';
import { jobKinds, jobStatuses } from '../job-lifecycle.ts';
import { text } from '../text-fields.ts';
import { apiSource } from './sources.ts';
import { timestamp } from './timestamp.ts';
import { apiWorker } from './workers.ts';

/** How exact a count is: counting millions would take too long. */
export const precisions = ['exact', 'at_least', 'estimate'] as const;
export type Precision = (typeof precisions)[number];

const counted = {
  count: z.int(),
  precision: z.enum(precisions).describe("at_least: a lower bound; estimate: from the database's statistics"),
};
const count = z.object(counted).meta({ id: 'Count' });
export type Count = z.output<typeof count>;

const minute = z.object({
  minute: timestamp,
  created: z.int(),
  started: z.int(),
  completed: z.int(),
  failed: z.int().describe('failed or expired'),
  retried: z.int().describe('failed runs that are retried'),
  more: z.int().describe('change in the number of unfinished jobs'),
  precision: z.enum(precisions).describe('estimate: only part of the minute was counted'),
});
export type MinuteOfJobs = z.output<typeof minute>;

const statsJob = z
  .object({
    id: z.uuid(),
    kind: z.enum(jobKinds),
    url: z.string().nullable(),
    title: z.string().nullable().describe('title of the item whose prices are collected'),
    source_id: z.string().nullable(),
    status: z.enum(jobStatuses),
    progress_percentage: z.int(),
    worker_id: z.string().nullable(),
    error_code: z.string().nullable(),
    user_id: z.string(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    lease_expires_at: timestamp.nullable(),
  })
  .meta({ id: 'StatsJob' });
export type StatsJob = z.output<typeof statsJob>;

export const stats = z
  .object({
    at: timestamp.describe('time of these statistics; refreshed every few seconds'),
    user_id: z.string().nullable().describe('owner of these jobs; null: all'),
    jobs: z.array(z.object({ status: z.enum(jobStatuses), kind: z.enum(jobKinds), ...counted })),
    pending_pages: z.int().describe('URLs found and not yet crawled, over all running crawls'),
    throughput: z.object({
      minutes: z.array(minute).describe('the last hour, oldest first'),
      complete: z.boolean().describe('false: too many events to count; older minutes are missing'),
    }),
    retries: z.object({
      data: z.array(z.object({ retry_count: z.int(), count: z.int() })),
      exact: z.boolean().describe('false: based on part of the live jobs'),
    }),
    stuck: z.object({
      ...counted,
      data: z.array(statsJob).describe('longest overdue first'),
    }),
    recent_jobs: z.array(statsJob),
    workers: z.object({
      alive: z.int(),
      sick: z
        .int()
        .describe('workers that stopped claiming because their runners die before their first request'),
      draining: z.int(),
      silent: z.int(),
      running_jobs: z.int(),
      max_jobs: z.int(),
      in_trouble: z.array(apiWorker),
    }),
    sources: z.object({ blocked: count, in_trouble: z.array(apiSource) }),
    policies: z.object({
      enabled: count,
      disabled: count,
      due: count,
      failing: count.describe('enabled policies whose last run failed'),
    }),
    bots: z.object({
      active: z.int().describe('bots seen in the last hour'),
      total: z.int(),
      success_rate: z.number().nullable().describe('success rate of the last 24 hours, 0 to 1'),
      hours: z
        .array(
          z.object({
            hour: timestamp,
            pulls: z.int(),
            jobs_pulled: z.int(),
            jobs_succeeded: z.int(),
            jobs_failed: z.int(),
          }),
        )
        .describe('the last 24 hours, oldest first'),
    }),
  })
  .meta({ id: 'Stats' });
/** Inside, with Dates. */
export type Stats = z.output<typeof stats>;

export const statsQuery = z.strictObject({
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
});
