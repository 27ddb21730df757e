import { inflateRawSync } from 'node:zlib';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { currentUrlRules, type UrlRulesVersion } from '../../web/urls/url-rules.ts';
import { contentOf, type KeptAnswer, type StoredPage } from './page.ts';
import { allLinks, storedLines } from './page-links.ts';
import { findScreenshot } from './read-screenshot.ts';

type PageRow = Omit<StoredPage, 'markdown' | 'links' | 'html' | 'kept' | 'screenshot'> & {
  readonly markdown: Buffer | null;
  readonly links: Buffer | null;
  readonly html: Buffer | null;
  readonly body: Buffer | null;
  readonly answer: KeptAnswer | null;
};

/** Rows and deflated bytes of one read: bounds the reader's memory, whatever the size of the crawl. */
const maxRows = 500;
const maxBytes = 4_000_000;

/*
 * Takes sizes first, which does not read the contents, then the contents of as many pages as fit, at least one. The bounds are part
 * of the text and each page is looked up by its number: with unknown bounds the planner reads all pages every time.
 */
const readStatement = statement<PageRow>(
  'read-pages',
  `
WITH next_page AS MATERIALIZED (
  SELECT job_id, page_no, url_hash, content_job FROM crawl_pages
  WHERE job_id = $1 AND page_no > $2 AND outcome = 'fetched' ORDER BY page_no LIMIT ${maxRows}
),
sized AS MATERIALIZED (
  SELECT page_no, sum(coalesce(octet_length(markdown), 0) + coalesce(octet_length(links), 0)
      + CASE WHEN $3 THEN coalesce(octet_length(html), 0) ELSE 0 END
      + CASE WHEN $4 THEN coalesce(octet_length(body), 0) ELSE 0 END)
    OVER (ORDER BY page_no ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM next_page ${contentOf('next_page')}
)
SELECT page.page_no, page.url, page.url_hash, page.canonical_url, page.title, page.description, page.language, page.status,
  page.content_type, page.depth, page.word_count, page.bytes, page.fetched_at, page.etag, page.last_modified,
  page.content_hash, page.change, coalesce(page.rendered, false) AS rendered, page.render_reason, page.structured,
  content.markdown, content.links, CASE WHEN $3 THEN content.html END AS html,
  CASE WHEN $4 THEN content.body END AS body, CASE WHEN $4 THEN content.answer END AS answer,
  page.rendered IS TRUE AND EXISTS (
    SELECT FROM crawl_screenshots WHERE job_id = $1 AND url_hash = page.url_hash) AS has_screenshot
FROM sized CROSS JOIN LATERAL (
  SELECT * FROM crawl_pages WHERE job_id = $1 AND page_no = sized.page_no LIMIT 1
) page
${contentOf('page')}
WHERE coalesce(sized.bytes_before, 0) < ${maxBytes} ORDER BY page.page_no`,
);

interface ReadPagesOptions {
  /** Only pages behind this one. */
  readonly after?: number;
  readonly html?: boolean;
  /** Responses as they came, where the crawl kept them. */
  readonly bodies?: boolean;
  readonly screenshots?: boolean;
}

/**
 * The fetched pages of a job in the order of their checkpoints, up to the last one committed now. Numbers are assigned under the lock
 * of the job's row, so no page appears behind a reader that has passed it.
 */
export async function* readPages(
  db: Queryable,
  jobId: string,
  { after = 0, html = false, bodies = false, screenshots = false }: ReadPagesOptions = {},
): AsyncGenerator<StoredPage> {
  for (let last = after; ; ) {
    const rows = await run(db, readStatement, [jobId, last, html, bodies]);
    // Inflated one at a time: small deflated content may be large. So may pictures.
    for (const row of rows) {
      const screenshot =
        screenshots && row.has_screenshot ? await findScreenshot(db, jobId, row.url_hash) : undefined;
      yield inflated(row, screenshot ?? null);
    }
    const next = rows.at(-1)?.page_no;
    if (next === undefined) return;
    last = next;
  }
}

function inflated({ body, answer, ...row }: PageRow, screenshot: Buffer | null): StoredPage {
  return {
    ...row,
    screenshot,
    kept: body && answer && { ...answer, body: inflateRawSync(body) },
    markdown: textOf(row.markdown),
    html: textOf(row.html),
    links: row.links ? allLinks(storedLines(row.links)) : [],
  };
}

function textOf(deflated: Buffer | null): string | null {
  return deflated && inflateRawSync(deflated).toString('utf8');
}

const rulesStatement = statement<{ url_rules: UrlRulesVersion }>(
  'read-url-rules',
  'SELECT url_rules FROM crawl_states WHERE job_id = $1',
);

/** The version of the URL rules that a crawl began with; the current one if it has not begun. */
export async function readUrlRules(db: Queryable, jobId: string): Promise<UrlRulesVersion> {
  return (await run(db, rulesStatement, [jobId]))[0]?.url_rules ?? currentUrlRules;
}

const urlStatement = statement<{ url: string }>(
  'url-of-page',
  `SELECT url FROM crawl_pages WHERE job_id = $1 AND page_no = $2 AND outcome = 'fetched'`,
);

/** The URL of the fetched page with this number. */
export async function urlOfPage(db: Queryable, jobId: string, pageNo: number): Promise<string | undefined> {
  return (await run(db, urlStatement, [jobId, pageNo]))[0]?.url;
}

const countStatement = statement<{ count: number }>(
  'count-fetched-pages',
  `SELECT count(*) AS count FROM crawl_pages WHERE job_id = $1 AND page_no <= $2 AND outcome = 'fetched'`,
);

/** The number of fetched pages of a job, up to and including this page number. */
export async function countFetched(db: Queryable, jobId: string, pageNo: number): Promise<number> {
  return (await run(db, countStatement, [jobId, pageNo]))[0]?.count ?? 0;
}
