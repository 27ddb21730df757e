import type { ListedPage, PageSearch } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { listPages, type PagePosition } from './list-pages.ts';

/** Behind which page of which job a list over all jobs goes on; without a page, the job is yet to be looked at. */
export interface AllPagesPosition {
  readonly job_id: string;
  readonly page?: PagePosition;
}

export interface AllPagesOptions extends PageSearch {
  /** Only pages of this owner's jobs. */
  readonly user_id?: string | undefined;
  readonly after?: AllPagesPosition | undefined;
  readonly limit: number;
}

const patienceMs = 50;
const crawlsAtOnce = 50;
const crawlScanLimit = 5_000;
const newest = { job_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const crawlsText = `
  SELECT job_id FROM crawl_states WHERE job_id <= $1 ORDER BY job_id DESC`;

const crawlsStatement = statement<{ job_id: string }>(
  'list-crawls',
  `
SELECT state.job_id FROM (${crawlsText} LIMIT ${crawlScanLimit}) state JOIN crawl_jobs job ON job.id = state.job_id
WHERE $2::text IS NULL OR job.user_id = $2
ORDER BY state.job_id DESC LIMIT $3`,
);

const crawlsEndStatement = statement<{ job_id: string }>(
  'list-crawls-end',
  `${crawlsText} OFFSET ${crawlScanLimit} LIMIT 1`,
);

/** Pages of all jobs, those of the newest jobs first: job by job, for as long as one call may take. */
export async function listAllPages(
  db: Queryable,
  { user_id, after = newest, limit, ...search }: AllPagesOptions,
): Promise<{ pages: ListedPage[]; next: AllPagesPosition | null }> {
  const deadline = performance.now() + patienceMs;
  const crawls = await run(db, crawlsStatement, [after.job_id, user_id, crawlsAtOnce + 1]);
  const pages: ListedPage[] = [];
  for (const { job_id } of crawls.slice(0, crawlsAtOnce)) {
    if (pages.length === limit || performance.now() > deadline) return { pages, next: { job_id } };
    const slice = await listPages(db, job_id, {
      ...search,
      order: 'newest',
      after: job_id === after.job_id ? after.page : undefined,
      limit: limit - pages.length,
    });
    pages.push(...slice.pages);
    if (slice.next) return { pages, next: { job_id, page: slice.next } };
  }
  const more = crawls[crawlsAtOnce];
  if (more) return { pages, next: more };
  const [next = null] = await run(db, crawlsEndStatement, [after.job_id]);
  return { pages, next };
}
