import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { Page } from './page.ts';

export interface ReasonCount {
  readonly outcome: Exclude<Page['outcome'], 'fetched'>;
  readonly reason: string | null;
  readonly count: number;
}

const countStatement = statement<ReasonCount>(
  'count-page-reasons',
  `
SELECT outcome, reason, count(*) AS count FROM crawl_pages WHERE job_id = $1 AND outcome <> 'fetched'
GROUP BY outcome, reason ORDER BY outcome, count(*) DESC, reason`,
);

/** How many URLs of a job were not fetched, by outcome and reason; the most frequent first. */
export function countReasons(db: Queryable, jobId: string): Promise<ReasonCount[]> {
  return run(db, countStatement, [jobId]);
}
