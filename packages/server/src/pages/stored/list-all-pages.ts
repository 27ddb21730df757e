import type { ListedPage, PageSearch } from '@holdfast/contract';
import { type Queryable, run, type Statement, statement } from '../../base/database/statement.ts';
import { listPages, type PagePosition } from './list-pages.ts';

/** Where a list over all jobs continues: after this page of this job; without a page, at the start of the job. */
export interface AllPagesPosition {
  readonly job_id: string;
  readonly page?: PagePosition | undefined;
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

/*
 * One owner's jobs are read along the index of owners, which leaves out `local` (the owner of everything in a one-user installation);
 * all jobs along the crawls. Each reads at most crawlScanLimit rows.
 */
const ways = {
  owner: `SELECT id AS job_id, kind = 'crawl' AS is_shown FROM crawl_jobs
  WHERE user_id = $2 AND user_id <> 'local' AND id <= $1 ORDER BY id DESC`,
  all: `SELECT job_id, EXISTS (SELECT FROM crawl_jobs WHERE id = job_id) AS is_shown
  FROM crawl_states WHERE job_id <= $1 AND $2::text IS NULL ORDER BY job_id DESC`,
  local: `SELECT id AS job_id, kind = 'crawl' AND user_id = $2 AS is_shown FROM crawl_jobs WHERE id <= $1 ORDER BY id DESC`,
} as const;

const crawlStatements = Object.fromEntries(
  Object.entries(ways).map(([way, text]) => [
    way,
    {
      list: statement<{ job_id: string }>(
        `list-crawls-of-${way}`,
        `SELECT job_id FROM (${text} LIMIT ${crawlScanLimit}) job WHERE is_shown ORDER BY job_id DESC LIMIT $3`,
      ),
      end: statement<{ job_id: string }>(
        `list-crawls-of-${way}-end`,
        `SELECT job_id FROM (${text} OFFSET ${crawlScanLimit} LIMIT 1) job`,
      ),
    },
  ]),
) as Record<keyof typeof ways, Record<'list' | 'end', Statement<{ job_id: string }>>>;

/** Pages of all jobs, newest jobs first: job by job, for as long as one call may take. */
export async function listAllPages(
  db: Queryable,
  { user_id, after = newest, limit, ...search }: AllPagesOptions,
): Promise<{ pages: ListedPage[]; next: AllPagesPosition | null }> {
  const deadline = performance.now() + patienceMs;
  const { list, end } =
    crawlStatements[user_id === undefined ? 'all' : user_id === 'local' ? 'local' : 'owner'];
  const crawls = await run(db, list, [after.job_id, user_id, crawlsAtOnce + 1]);
  const pages: ListedPage[] = [];
  for (const [index, { job_id }] of crawls.slice(0, crawlsAtOnce).entries()) {
    // However slow the machine, each call advances by at least one crawl.
    const isLate = index > 0 && performance.now() > deadline;
    if (pages.length === limit || isLate) return { pages, next: { job_id } };
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
  const [next = null] = await run(db, end, [after.job_id, user_id]);
  return { pages, next };
}
