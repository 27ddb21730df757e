import type { crawlCounters } from '@holdfast/contract';
import type { z } from 'zod';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { changeCounts } from '../../pages/stored/change-counts.ts';

export type CrawlCounters = z.output<typeof crawlCounters>;

const readCountersStatement = statement<CrawlCounters>(
  'read-crawl-counters',
  `
SELECT total_processed, total_pending, current_depth, fetched, failed, skipped, redirected, not_crawled, off_scope, bytes,
  current_url, ${changeCounts} AS changes, updated_at
FROM crawl_states state WHERE job_id = $1`,
);

/** The counters of a crawl as of its last checkpoint; null before the first. */
export async function readCounters(db: Queryable, jobId: string): Promise<CrawlCounters | null> {
  const [counters] = await run(db, readCountersStatement, [jobId]);
  return counters ?? null;
}
