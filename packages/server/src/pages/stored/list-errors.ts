import type { PageErrors } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { Page } from './page.ts';

type ErrorGroup = PageErrors['data'][number];
type ErrorRow = Omit<ErrorGroup, 'samples' | 'exact'> & ErrorGroup['samples'][number];

/** Pages counted for each reason. */
const countLimit = 2_000;
const groupLimit = 50;
const sampleLimit = 5;

const reason = `coalesce(reason, '') COLLATE "C"`;
const ofGroup = `job_id = $1 AND outcome <> 'fetched' AND outcome = error.outcome AND ${reason} = error.reason`;

/* Steps from reason to reason along the index: a million pages skipped for one reason cost no more than a few. */
export const listErrorsStatement = statement<ErrorRow>(
  'list-page-errors',
  `
WITH RECURSIVE error (outcome, reason) AS (
  (SELECT outcome, ${reason} FROM crawl_pages
   WHERE job_id = $1 AND outcome <> 'fetched' AND outcome IN ('failed', 'skipped')
   ORDER BY outcome, ${reason} LIMIT 1)
  UNION ALL
  SELECT next.* FROM error CROSS JOIN LATERAL (
    SELECT page.outcome, coalesce(page.reason, '') COLLATE "C" FROM crawl_pages page
    WHERE job_id = $1 AND outcome <> 'fetched' AND page.outcome <= 'skipped'
      AND (page.outcome, coalesce(page.reason, '') COLLATE "C") > (error.outcome, error.reason)
    ORDER BY page.outcome, coalesce(page.reason, '') COLLATE "C" LIMIT 1
  ) next
)
SELECT error.outcome, error.reason, counted.count, sample.url_hash, sample.url, sample.status, sample.message,
  sample.fetched_at
FROM (SELECT * FROM error LIMIT ${groupLimit + 1}) error
CROSS JOIN LATERAL (
  SELECT count(*) AS count FROM (SELECT FROM crawl_pages WHERE ${ofGroup} LIMIT ${countLimit + 1}) page
) counted
CROSS JOIN LATERAL (
  SELECT url_hash, url, status, message, fetched_at FROM crawl_pages WHERE ${ofGroup} ORDER BY page_no LIMIT ${sampleLimit}
) sample`,
);

/** Failed and skipped pages of a crawl by reason, each with a count and a few samples. */
export async function listErrors(db: Queryable, jobId: string): Promise<PageErrors> {
  const groups = new Map<string, ErrorGroup>();
  for (const { outcome, reason, count, ...sample } of await run(db, listErrorsStatement, [jobId])) {
    const key = `${outcome} ${reason}`;
    const exact = count <= countLimit;
    const group = groups.get(key) ?? {
      outcome,
      reason,
      count: exact ? count : countLimit,
      exact,
      samples: [],
    };
    groups.set(key, group);
    group.samples.push(sample);
  }
  const data = [...groups.values()].slice(0, groupLimit);
  return { data, more: groups.size > groupLimit };
}

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
