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
  /** The job that this crawl is compared with, if there is one and its pages are still there. */
  readonly baseline: string | null;
}

const stateColumns =
  'checkpoint_no, total_pending, total_processed, fetched, failed, skipped, redirected, not_crawled, discovery';

/*
 * The baseline is chosen once, when the crawl begins. Its row is locked against being pruned meanwhile: pruning looks for
 * those that began to compare with a job after it has deleted that job's row (prune-jobs.ts).
 */
const openStatement = statement<CrawlState>(
  'open-frontier',
  `
WITH held AS (
  SELECT id, user_id FROM crawl_jobs WHERE id = $1 AND fence = $2 AND status::text = 'processing' FOR NO KEY UPDATE
),
before AS MATERIALIZED (
  SELECT job.id FROM held, crawl_states state JOIN crawl_jobs job ON job.id = state.job_id
  WHERE $4 AND state.crawl_key = $3 AND job.user_id = held.user_id AND job.status::text = 'completed'
  ORDER BY job.completed_at DESC LIMIT 1 FOR KEY SHARE OF job
),
begun AS (
  INSERT INTO crawl_states (job_id, crawl_key, baseline) SELECT id, $3, (SELECT id FROM before) FROM held
  ON CONFLICT DO NOTHING RETURNING ${stateColumns}, baseline
)
SELECT * FROM begun
UNION ALL
SELECT ${stateColumns}, (SELECT other.job_id FROM crawl_states other WHERE other.job_id = state.baseline)
FROM crawl_states state JOIN held ON held.id = state.job_id`,
);

export interface CrawlName {
  /** Crawls with the same key can be compared. */
  readonly key: string;
  /** Compare it with the last completed one of its owner. */
  readonly recrawl: boolean;
}

/** The state that a run starts from: that of the last checkpoint, or an empty one. */
export async function openFrontier(
  db: Queryable,
  job: HeldJob,
  { key, recrawl }: CrawlName,
): Promise<CrawlState> {
  const open = () => run(db, openStatement, [job.id, job.fence, key, recrawl]);
  // Once more: an attempt before, whose answer was lost, may have begun the crawl while ours waited for the job's row. Then
  // there is nothing to begin, and what was begun came too late to be seen.
  const state = (await open())[0] ?? (await open())[0];
  if (!state) throw new HoldfastError('lease_lost', `job ${job.id}, fence ${job.fence}`);
  return state;
}
