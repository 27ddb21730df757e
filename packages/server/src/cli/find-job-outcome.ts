import type { Configuration, Job, ListedResult } from '@holdfast/contract';
import { type CrawlCounters, readCounters } from '../api/jobs/read-counters.ts';
import type { Queryable } from '../database/statement.ts';
import { searchResults } from '../results/search-results.ts';
import { waitsForWorker } from './waits-for-worker.ts';

/** What came of a job, and what keeps it from going on. */
export interface JobOutcome {
  /** Of a crawl, from its first checkpoint on. */
  readonly crawl: CrawlCounters | null;
  /** Of a visit that brought something. */
  readonly result: ListedResult | null;
  readonly waitsForWorker: boolean;
}

export async function findJobOutcome(
  db: Queryable,
  configuration: Configuration,
  job: Job,
): Promise<JobOutcome> {
  const results =
    job.kind === 'visit' ? await searchResults(db, { filter: { job_id: job.id }, limit: 1 }) : undefined;
  return {
    crawl: job.kind === 'crawl' ? await readCounters(db, job.id) : null,
    result: results?.rows[0] ?? null,
    waitsForWorker: await waitsForWorker(db, configuration, job),
  };
}
