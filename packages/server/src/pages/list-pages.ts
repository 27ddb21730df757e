import type { ListedPage, PageSearch, pageOrders } from '@holdfast/contract';
import { hasPart } from '../database/look-through.ts';
import { type Queryable, run, type Statement, statement } from '../database/statement.ts';

/**
 * Where a list goes on: behind this page. Pages that were not fetched come by reason first, so that what went wrong is found
 * in a crawl of millions without reading the others.
 */
export interface PagePosition {
  readonly reason: string;
  readonly page_no: number;
}

export interface PageListOptions extends PageSearch {
  readonly order?: (typeof pageOrders)[number];
  readonly after?: PagePosition | undefined;
  readonly limit: number;
}

export interface PageSlice {
  readonly pages: ListedPage[];
  /** Null at the end. A slice that is not full has looked at as many rows as one call may. */
  readonly next: PagePosition | null;
}

/** Rows that one call looks at. */
const scanLimit = 4_000;

export const listedColumns = `job_id, url_hash, page_no, url, kind, outcome, status, reason, message, target_url, title,
  content_type, language, depth, attempts, word_count, bytes, change, fetched_at`;

const reason = `coalesce(reason, '') COLLATE "C"`;
const allPages = 'job_id = $1 AND page_no';
const notFetched = `job_id = $1 AND outcome = $2 AND outcome <> 'fetched'`;

interface Path {
  readonly list: Statement<ListedPage>;
  /** The last row that one call may look at; none if it has looked at all. */
  readonly end: Statement<PagePosition>;
}

/*
 * Two ways through the pages of a job, each along an index, in both directions. $3 to $5: from which reason and page on, up
 * to which reason. $6 to $9 filter what is found.
 */
function path(name: string, rows: string, order: string): Path {
  return {
    list: statement(
      `list-pages-${name}`,
      `
SELECT ${listedColumns} FROM (
  SELECT ${listedColumns}, ${reason} AS reason_key FROM crawl_pages
  WHERE ${rows} ORDER BY ${order} LIMIT ${scanLimit}
) looked_at
WHERE ($2::page_outcome IS NULL OR outcome = $2) AND ($6::smallint IS NULL OR status = $6)
  AND ($7::text IS NULL OR reason = $7) AND ($8::page_change IS NULL OR change = $8)
  AND ($9::text IS NULL OR ${hasPart('url', '$9')} OR ${hasPart('title', '$9')})
ORDER BY ${order.replace(reason, 'reason_key')} LIMIT $10`,
    ),
    end: statement(
      `list-pages-${name}-end`,
      `
SELECT coalesce(reason, '') AS reason, page_no FROM crawl_pages
WHERE ${rows} AND ($2::page_outcome IS NULL OR true)
ORDER BY ${order} OFFSET ${scanLimit - 1} LIMIT 1`,
    ),
  };
}

/* A parameter that a statement does not use must be named all the same, for PostgreSQL to know its type. */
const unused = '$3::text IS NOT NULL AND $5::text IS NOT NULL';

export const pagePaths = {
  oldest: {
    all: path('oldest', `${allPages} > $4 AND ${unused}`, 'page_no'),
    notFetched: path(
      'not-fetched-oldest',
      `${notFetched} AND (${reason}, page_no) > ($3::text, $4) AND ${reason} <= $5::text`,
      `${reason}, page_no`,
    ),
  },
  newest: {
    all: path('newest', `${allPages} < $4 AND ${unused}`, 'page_no DESC'),
    notFetched: path(
      'not-fetched-newest',
      `${notFetched} AND (${reason}, page_no) < ($3::text, $4) AND ${reason} >= $5::text`,
      `${reason} DESC, page_no DESC`,
    ),
  },
} as const;

const lowest = { reason: '', page_no: 0 };
/** Codes and reasons are lower-case letters, digits and underscores; `~` comes after them all. */
const highest = { reason: '~', page_no: Number.MAX_SAFE_INTEGER };

/** The pages of a job, without their content: a slice behind `after`. */
export async function listPages(
  db: Queryable,
  jobId: string,
  { order = 'oldest', after, limit, ...search }: PageListOptions,
): Promise<PageSlice> {
  const isByReason = search.outcome !== undefined && search.outcome !== 'fetched';
  const paths = pagePaths[order];
  const { list, end } = isByReason ? paths.notFetched : paths.all;
  const [first, last] = order === 'oldest' ? [lowest, highest] : [highest, lowest];
  const from = after ?? { page_no: first.page_no, reason: search.reason ?? first.reason };
  const upTo = search.reason ?? last.reason;
  const bounds = [jobId, search.outcome, from.reason, from.page_no, upTo];
  const filter = [search.status, search.reason, search.change, search.search];
  const pages = await run(db, list, [...bounds, ...filter, limit]);
  const lastPage = pages.at(-1);
  if (lastPage && pages.length === limit) {
    return { pages, next: { reason: lastPage.reason ?? '', page_no: lastPage.page_no } };
  }
  const [next = null] = await run(db, end, bounds);
  return { pages, next };
}
