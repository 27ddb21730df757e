import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { HoldfastError, type ShownPage } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { listedColumns } from './list-pages.ts';
import { allLinks, unfoldLines } from './page-links.ts';

const inflate = promisify(inflateRaw);

/** Inflated content larger than this is left out of the answer. */
const shownBytes = 4_000_000;

type PageRow = Omit<ShownPage, 'markdown' | 'links' | 'omitted'> & {
  readonly markdown: Buffer | null;
  readonly links: Buffer | null;
};

const columns = listedColumns.replaceAll(/\w+/g, 'page.$&');
/** A page that could not be fetched has no content of its own: what it shares is the baseline's. */
const content = `crawl_page_contents content
  ON page.outcome = 'fetched' AND content.job_id = coalesce(page.content_job, page.job_id) AND content.url_hash = page.url_hash`;

const showStatement = statement<PageRow>(
  'show-page',
  `
SELECT ${columns}, page.parent, page.canonical_url, page.content_hash, page.etag, page.last_modified, page.description,
  page.structured, content.markdown, content.links, content.html IS NOT NULL AS has_html,
  EXISTS (SELECT FROM crawl_screenshots WHERE job_id = page.job_id AND url_hash = page.url_hash) AS has_screenshot
FROM crawl_pages page LEFT JOIN ${content} WHERE page.job_id = $1 AND page.url_hash = $2`,
);

const contentStatement = statement<{ html: Buffer | null; markdown: Buffer | null }>(
  'read-page-content',
  `
SELECT CASE WHEN $3 = 'html' THEN content.html END AS html, CASE WHEN $3 = 'markdown' THEN content.markdown END AS markdown
FROM crawl_pages page JOIN ${content} WHERE page.job_id = $1 AND page.url_hash = $2`,
);

/** One page with its content. */
export async function showPage(db: Queryable, jobId: string, hash: string): Promise<ShownPage> {
  const [row] = await run(db, showStatement, [jobId, hash]);
  if (!row) throw new HoldfastError('page_not_found', `${hash} of job ${jobId}`);
  const folded = row.links && unfoldLines(row.links);
  const [markdown, links] = await Promise.all([shownText(row.markdown), folded ?? shownText(row.links)]);
  return {
    ...row,
    rendered: row.rendered ?? false,
    markdown: markdown ?? null,
    links: links ? allLinks(links) : [],
    omitted: [
      ...(markdown === undefined ? (['markdown'] as const) : []),
      ...(links === undefined ? (['links'] as const) : []),
    ],
  };
}

/** The stored content of a page in one form, still deflated: the caller inflates it as it sends it. */
export async function readPageContent(
  db: Queryable,
  jobId: string,
  hash: string,
  form: 'html' | 'markdown',
): Promise<Buffer> {
  const [row] = await run(db, contentStatement, [jobId, hash, form]);
  const stored = row?.[form];
  if (!stored)
    throw new HoldfastError('page_not_found', `no ${form} of page ${hash} of job ${jobId} is stored`);
  return stored;
}

/** Undefined when it is too large. */
async function shownText(deflated: Buffer | null): Promise<string | null | undefined> {
  if (deflated === null) return null;
  try {
    return (await inflate(deflated, { maxOutputLength: shownBytes })).toString('utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
