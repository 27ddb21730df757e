import { HoldfastError, type ListedPage, type PageSearch, type pageOrders } from '@holdfast/contract';
import { containsText } from '../../base/database/bounded-search.ts';
import { type Queryable, run, type Statement, statement } from '../../base/database/statement.ts';

/** Where a list continues: after this page. Pages that were not fetched are ordered by reason first. */
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
  /** Null at the end. A slice that is not full has scanned as many rows as one call may. */
  readonly next: PagePosition | null;
}

/** Rows that one call scans. */
const scanLimit = 4_000;

export const listedColumns = `job_id, url_hash, page_no, url, kind, outcome, status, reason, message, target_url, title,
  content_type, language, depth, attempts, word_count, bytes, change,
  rendered, render_reason, proxy, blocked, fetched_at`;

const reason = `coalesce(reason, '') COLLATE "C"`;
const allPages = 'job_id = $1 AND page_no';
const notFetched = `job_id = $1 AND outcome = $2 AND outcome <> 'fetched'`;

/** A page found, or none; and the last row scanned, unless that was the last of all or the pages tell it. */
type Found = ({ [Column in keyof ListedPage]: null } | ListedPage) & {
  readonly end_reason: string | null;
  readonly end_page_no: number | null;
};

/*
 * Two paths through the pages of a job, each along an index, in both directions. $3 to $5: start reason, start page, end reason.
 * $6 to $9 and $11 filter. The same statement tells where to continue: between two statements rows could come or go, and be missed.
 */
function path(name: string, rows: string, order: string): Statement<Found> {
  const asFound = order.replace(reason, 'reason_key');
  return statement(
    `list-pages-${name}`,
    `
WITH found AS MATERIALIZED (
  SELECT ${listedColumns}, reason_key FROM (
    SELECT ${listedColumns}, ${reason} AS reason_key FROM crawl_pages
    WHERE ${rows} ORDER BY ${order} LIMIT ${scanLimit}
  ) looked_at
  WHERE ($2::page_outcome IS NULL OR outcome = $2) AND ($6::smallint IS NULL OR status = $6)
    AND ($7::text IS NULL OR reason = $7) AND ($8::page_change IS NULL OR change = $8)
    AND ($11::boolean IS NULL OR coalesce(rendered, false) = $11)
    AND ($9::text IS NULL OR ${containsText('url', '$9')} OR ${containsText('title', '$9')})
  ORDER BY ${asFound} LIMIT $10
),
looked_to AS MATERIALIZED (
  SELECT coalesce(reason, '') AS end_reason, page_no AS end_page_no FROM crawl_pages
  WHERE ${rows} AND (SELECT count(*) FROM found) < $10
  ORDER BY ${order} OFFSET ${scanLimit - 1} LIMIT 1
)
SELECT ${listedColumns}, end_reason, end_page_no
FROM (SELECT) AS one LEFT JOIN found ON true LEFT JOIN looked_to ON true
ORDER BY ${asFound}`,
  );
}

/* PostgreSQL must know the type of every parameter, also of those that a statement does not use. */
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
/** Codes and reasons are lower-case letters, digits and underscores; `~` sorts after them all. */
const highest = { reason: '~', page_no: Number.MAX_SAFE_INTEGER };

/** A slice of the pages of a job after `after`, without their content. */
export async function listPages(
  db: Queryable,
  jobId: string,
  { order = 'oldest', after, limit, ...search }: PageListOptions,
): Promise<PageSlice> {
  const isByReason = search.outcome !== undefined && search.outcome !== 'fetched';
  const paths = pagePaths[order];
  const [first, last] = order === 'oldest' ? [lowest, highest] : [highest, lowest];
  const from = after ?? { page_no: first.page_no, reason: search.reason ?? first.reason };
  const upTo = search.reason ?? last.reason;
  const bounds = [jobId, search.outcome, from.reason, from.page_no, upTo];
  const filter = [search.status, search.reason, search.change, search.search];
  const path = isByReason ? paths.notFetched : paths.all;
  const found = await run(db, path, [...bounds, ...filter, limit, search.rendered]);
  const pages = found.flatMap(({ end_reason, end_page_no, ...page }) =>
    page.job_id === null ? [] : { ...page, rendered: page.rendered ?? false },
  );
  const lastPage = pages.at(-1);
  if (lastPage && pages.length === limit) {
    return { pages, next: { reason: lastPage.reason ?? '', page_no: lastPage.page_no } };
  }
  const { end_reason = null, end_page_no = null } = found[0] ?? {};
  return { pages, next: end_page_no === null ? null : { reason: end_reason ?? '', page_no: end_page_no } };
}

const positionStatement = statement<PagePosition>(
  'page-position',
  `SELECT coalesce(reason, '') AS reason, page_no FROM crawl_pages WHERE job_id = $1 AND page_no = $2`,
);

/** The list position of a page that a person names by its number; lists by reason need its reason too. */
export async function pagePosition(db: Queryable, jobId: string, pageNo: number): Promise<PagePosition> {
  const [position] = await run(db, positionStatement, [jobId, pageNo]);
  if (!position) throw new HoldfastError('page_not_found', `number ${pageNo} of job ${jobId}`);
  return position;
}
