import type { crawlCounters, Job, JobAction, Waiting } from '@holdfast/contract';
import type { z } from 'zod';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { changeCounts } from '../../pages/stored/list-changes.ts';
import { type FailedStart, readFailedStart } from '../../queue/jobs/find-jobs.ts';
import { actionsNow } from './act-on-job.ts';
import { findWait } from './find-waits.ts';

/** What the row of a job does not have: crawl counters, what it waits for, and the allowed actions. */
export interface JobDetails {
  /** Null for other kinds, and before the first checkpoint. */
  readonly crawl: CrawlCounters | null;
  /** Null if it does not wait. */
  readonly waiting: Waiting | null;
  readonly failedStart: FailedStart | null;
  readonly actions: JobAction[];
}

type CrawlCounters = z.output<typeof crawlCounters>;

export async function readJobDetails(db: Queryable, job: Job): Promise<JobDetails> {
  return {
    crawl: job.kind === 'crawl' ? await readCounters(db, job.id) : null,
    failedStart: await readFailedStart(db, job.id),
    actions: await actionsNow(db, job),
    waiting: await findWait(db, job),
  };
}

const readCountersStatement = statement<CrawlCounters>(
  'read-crawl-counters',
  `
SELECT total_processed, total_pending, current_depth, fetched, failed, skipped, redirected, not_crawled, off_scope, bytes,
  current_url, ${changeCounts} AS changes, updated_at
FROM crawl_states state WHERE job_id = $1`,
);

/** The counters of a crawl as of its last checkpoint. */
export async function readCounters(db: Queryable, jobId: string): Promise<CrawlCounters | null> {
  const [counters] = await run(db, readCountersStatement, [jobId]);
  return counters ?? null;
}
