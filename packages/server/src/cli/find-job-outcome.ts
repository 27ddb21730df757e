import type { Configuration, Job, ListedResult, PageErrors } from '@holdfast/contract';
import { type CrawlCounters, readCounters } from '../api/jobs/read-counters.ts';
import type { Queryable } from '../database/statement.ts';
import { foundByDiscovery } from '../frontier/returned-pages.ts';
import { listErrors } from '../pages/list-errors.ts';
import { searchResults } from '../results/search-results.ts';
import { waitsForWorker } from './waits-for-worker.ts';

/** What came of a job, and what keeps it from going on. */
export interface JobOutcome {
  /** Of a crawl, from its first checkpoint on. */
  readonly crawl: CrawlCounters | null;
  /** Of a visit that brought something. */
  readonly result: ListedResult | null;
  /** Why, if it does. */
  readonly waitsForWorker: string | undefined;
  /** Pages of a crawl failed, or were skipped, and can be tried again. */
  readonly hasPagesToRetry: boolean;
}

export async function findJobOutcome(
  db: Queryable,
  configuration: Configuration,
  job: Job,
): Promise<JobOutcome> {
  const results =
    job.kind === 'visit' ? await searchResults(db, { filter: { job_id: job.id }, limit: 1 }) : undefined;
  const crawl = job.kind === 'crawl' ? await readCounters(db, job.id) : null;
  return {
    crawl,
    result: results?.rows[0] ?? null,
    waitsForWorker: await waitsForWorker(db, configuration, job),
    hasPagesToRetry: !!crawl && (crawl.failed > 0 || crawl.skipped > (await countDiscovered(db, job.id))),
  };
}

/** What discovery read or looked for is skipped as well, and is no page. */
export function hasPagesToRetry({ data }: PageErrors): boolean {
  return data.some(({ reason }) => !foundByDiscovery.includes(reason));
}

async function countDiscovered(db: Queryable, jobId: string): Promise<number> {
  const { data } = await listErrors(db, jobId);
  return data
    .filter(({ outcome, reason }) => outcome === 'skipped' && foundByDiscovery.includes(reason))
    .reduce((sum, { count }) => sum + count, 0);
}
