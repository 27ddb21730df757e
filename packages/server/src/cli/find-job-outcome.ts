import { allowedActions, type Configuration, type Job, type ListedResult } from '@holdfast/contract';
import { type CrawlCounters, readCounters } from '../api/jobs/read-counters.ts';
import type { Queryable } from '../database/statement.ts';
import { neverReturned } from '../frontier/returned-pages.ts';
import { listErrors } from '../pages/list-errors.ts';
import { searchResults } from '../results/search-results.ts';
import { waitsForWorker } from './waits-for-worker.ts';

/** What came of a job, and what keeps it from going on. */
export interface JobOutcome {
  /** Of a crawl, from its first checkpoint on. */
  readonly crawl: CrawlCounters | null;
  /** Of a visit that brought something. */
  readonly result: ListedResult | null;
  readonly waitsForWorker: boolean;
  readonly hasUrlsToRetry: boolean;
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
    hasUrlsToRetry: await hasUrlsToRetry(db, job),
  };
}

async function hasUrlsToRetry(db: Queryable, { id, kind, status, requested_action }: Job): Promise<boolean> {
  if (!allowedActions(status, requested_action, kind).includes('retryUrls')) return false;
  const { data, more } = await listErrors(db, id);
  return more || data.some(({ reason }) => !neverReturned.includes(reason));
}
