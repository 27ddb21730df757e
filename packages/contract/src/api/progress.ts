import { z } from 'zod';
import { jobKinds, jobStatuses, requestedActions } from '../job-lifecycle.ts';
import { changeCounts } from './change-counts.ts';
import { timestamp } from './timestamp.ts';

export const jobProgress = z
  .object({
    job_id: z.uuid(),
    kind: z.enum(jobKinds),
    status: z.enum(jobStatuses),
    requested_action: z.enum(requestedActions).nullable(),
    progress_percentage: z.int().describe('never decreases; 100 only when completed'),
    done: z.int().describe('pages fetched and failed'),
    pending: z.int().describe('URLs found and not yet crawled'),
    fetched: z.int(),
    failed: z.int(),
    skipped: z.int(),
    redirected: z.int(),
    not_crawled: z.int().describe('URLs left when a limit was reached'),
    bytes: z.int(),
    current_depth: z.int(),
    current_url: z.string().nullable(),
    changes: changeCounts.nullable().describe('changes found by a recrawl; null otherwise'),
    pages_per_second: z.number().nullable().describe('recent rate; null while the job does not run'),
    estimated_end_at: timestamp.nullable().describe('estimate from the recent rate and the known URLs'),
    retry_count: z.int(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    started_at: timestamp.nullable().describe('start of the last run'),
    completed_at: timestamp.nullable(),
    updated_at: timestamp.nullable().describe('last checkpoint of a crawl'),
  })
  .meta({ id: 'JobProgress' });
/** Inside, with Dates. */
export type JobProgress = z.output<typeof jobProgress>;
