import {
  foundByDiscovery,
  type Job,
  type JobAction,
  type ListedResult,
  type PageErrors,
  type Waiting,
} from '@holdfast/contract';
import { type CrawlCounters, readCounters } from '../api/jobs/read-counters.ts';
import type { Queryable } from '../base/database/statement.ts';
import { actionsNow } from '../ops/jobs/actions-now.ts';
import { findWait } from '../ops/waiting/find-waits.ts';
import { type FailedStart, readFailedStart } from '../queue/jobs/read-failed-start.ts';
import { searchResults } from '../shop/results/search-results.ts';

/** What came of a job, and what keeps it from going on. */
export interface JobOutcome {
  /** Of a crawl, from its first checkpoint on. */
  readonly crawl: CrawlCounters | null;
  /** Of a visit that brought something. */
  readonly result: ListedResult | null;
  /** Null if it does not wait. */
  readonly waiting: Waiting | null;
  readonly failedStart: FailedStart | null;
  /** What can be done to it now. */
  readonly actions: readonly JobAction[];
}

export async function findJobOutcome(db: Queryable, job: Job): Promise<JobOutcome> {
  const results =
    job.kind === 'visit' ? await searchResults(db, { filter: { job_id: job.id }, limit: 1 }) : undefined;
  const crawl = job.kind === 'crawl' ? await readCounters(db, job.id) : null;
  return {
    crawl,
    result: results?.rows[0] ?? null,
    waiting: await findWait(db, job),
    failedStart: await readFailedStart(db, job.id),
    actions: await actionsNow(db, job),
  };
}

/** Whether the listed errors have a page among them. */
export function hasPageErrors({ data }: PageErrors): boolean {
  return data.some(({ reason }) => !foundByDiscovery.includes(reason));
}
