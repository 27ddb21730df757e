import { HoldfastError } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import type { HeldJob } from '../queue/held-job.ts';

/** Where a crawl stands. */
export interface CrawlState {
  /** 0: the crawl has not begun. */
  readonly checkpoint_no: number;
  readonly total_pending: number;
  readonly total_processed: number;
  readonly fetched: number;
  readonly failed: number;
  readonly skipped: number;
  readonly redirected: number;
  readonly not_crawled: number;
  readonly discovery: Record<string, unknown>;
}

const stateColumns =
  'checkpoint_no, total_pending, total_processed, fetched, failed, skipped, redirected, not_crawled, discovery';

const openStatement = statement<CrawlState>(
  'open-frontier',
  `
WITH held AS (
  SELECT id FROM crawl_jobs WHERE id = $1 AND fence = $2 AND status::text = 'processing' FOR NO KEY UPDATE
),
begun AS (
  INSERT INTO crawl_states (job_id) SELECT id FROM held ON CONFLICT DO NOTHING RETURNING ${stateColumns}
)
SELECT * FROM begun UNION ALL SELECT ${stateColumns} FROM crawl_states JOIN held ON held.id = job_id`,
);

/** The state that a run starts from: that of the last checkpoint, or an empty one. */
export async function openFrontier(db: Queryable, job: HeldJob): Promise<CrawlState> {
  const [state] = await run(db, openStatement, [job.id, job.fence]);
  if (!state) throw new HoldfastError('lease_lost', `job ${job.id}, fence ${job.fence}`);
  return state;
}
