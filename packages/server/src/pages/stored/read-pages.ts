import { inflateRawSync } from 'node:zlib';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { currentUrlRules, type UrlRulesVersion } from '../../web/urls/url-rules.ts';
import { contentOf } from './content-of.ts';
import type { KeptAnswer } from './page.ts';
import { allLinks, storedLines } from './page-links.ts';
import type { StoredPage } from './stored-page.ts';

type PageRow = Omit<StoredPage, 'markdown' | 'links' | 'html' | 'kept'> & {
  readonly markdown: Buffer | null;
  readonly links: Buffer | null;
  readonly html: Buffer | null;
  readonly body: Buffer | null;
  readonly answer: KeptAnswer | null;
};

/** Rows and deflated bytes of one read: what a reader holds in memory, whatever the size of the crawl. */
const maxRows = 500;
const maxBytes = 4_000_000;

/*
 * The sizes come first, from the rows' own pointers and without reading what they point to; the content is then read of
 * as many pages as fit. One page is always read, however large. The bounds are part of the text, and a page is found for
 * each number by itself: with bounds that it does not know, the planner read all pages for every 500 of them (334 ms of a
 * million).
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
SELECT page.page_no, page.url, page.canonical_url, page.title, page.description, page.language, page.status,
  page.content_type, page.depth, page.word_count, page.bytes, page.fetched_at, page.etag, page.last_modified,
  page.content_hash, page.change, page.structured, content.markdown, content.links, CASE WHEN $3 THEN content.html END AS html,
  CASE WHEN $4 THEN content.body END AS body, CASE WHEN $4 THEN content.answer END AS answer
FROM sized CROSS JOIN LATERAL (
  SELECT * FROM crawl_pages WHERE job_id = $1 AND page_no = sized.page_no LIMIT 1
) page
${contentOf('page')}
WHERE coalesce(sized.bytes_before, 0) < ${maxBytes} ORDER BY page.page_no`,
);

export interface ReadPagesOptions {
  /** Only pages behind this one. */
  readonly after?: number;
  readonly html?: boolean;
  /** Answers as they came, where they were kept. */
  readonly bodies?: boolean;
}

/**
 * The fetched pages of a job in the order of their checkpoints, up to the last one that is committed now. Numbers are
 * given under the lock of the job's row, so none turns up behind a reader that has passed it.
 */
export async function* readPages(
  db: Queryable,
  jobId: string,
  { after = 0, html = false, bodies = false }: ReadPagesOptions = {},
): AsyncGenerator<StoredPage> {
  for (let last = after; ; ) {
    const rows = await run(db, readStatement, [jobId, last, html, bodies]);
    // One at a time: what is small deflated may be large.
    for (const row of rows) yield inflated(row);
    const next = rows.at(-1)?.page_no;
    if (next === undefined) return;
    last = next;
  }
}

function inflated({ body, answer, ...row }: PageRow): StoredPage {
  return {
    ...row,
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

/** The URL rules that a crawl began with; today's, if it has not begun. */
export async function readUrlRules(db: Queryable, jobId: string): Promise<UrlRulesVersion> {
  return (await run(db, rulesStatement, [jobId]))[0]?.url_rules ?? currentUrlRules;
}
