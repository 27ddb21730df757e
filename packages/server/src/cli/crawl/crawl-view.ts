import { HoldfastError, type Job } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { jobColumns } from '../../queue/jobs/find-jobs.ts';

/** A job and the counters of its crawl, read together. */
export interface CrawlView extends Job {
  readonly total_processed: number;
  readonly total_pending: number;
  readonly fetched: number;
  readonly failed: number;
  readonly skipped: number;
  readonly redirected: number;
  readonly not_crawled: number;
  readonly off_scope: Readonly<Record<string, number>>;
  readonly bytes: number;
  /** The crawl that a recrawl is compared with. */
  readonly baseline: string | null;
  readonly new_pages: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly gone: number;
  readonly current_url: string | null;
}

const counters = [
  'total_processed',
  'total_pending',
  'fetched',
  'failed',
  'skipped',
  'redirected',
  'not_crawled',
  'bytes',
  'new_pages',
  'changed',
  'unchanged',
  'gone',
] as const;

const viewStatement = statement<CrawlView>(
  'view-crawl',
  `
SELECT ${jobColumns('job')}, ${counters.map((name) => `coalesce(state.${name}, 0) AS ${name}`).join(', ')},
  coalesce(state.off_scope, '{}') AS off_scope, state.current_url, state.baseline
FROM crawl_jobs job LEFT JOIN crawl_states state ON state.job_id = job.id WHERE job.id = $1`,
);

export async function readCrawlView(db: Queryable, jobId: string): Promise<CrawlView> {
  const [view] = await run(db, viewStatement, [jobId]);
  if (!view) throw new HoldfastError('job_not_found', jobId);
  return view;
}
