import { z } from 'zod';
import { block } from '../block.ts';
import { renderReasonNames } from '../render-options.ts';
import { text } from '../text-fields.ts';
import { pageOf } from './page-of.ts';
import { pageLimit, queryBoolean, queryNumber } from './query-fields.ts';
import { timestamp } from './timestamp.ts';

export const pageOutcomes = ['fetched', 'failed', 'skipped', 'redirected'] as const;
export type PageOutcome = (typeof pageOutcomes)[number];

/** The kind of resource at a URL: a page, a sitemap, or a text file with links. */
export const pageKinds = ['page', 'sitemap', 'text'] as const;

/** The change of a page since the baseline of a recrawl. */
export const pageChanges = ['new', 'changed', 'unchanged', 'gone'] as const;

/** Any 128 bits in the notation of UUIDs, without a UUID version. */
const pageHash = z.guid();

const page = z.object({
  job_id: z.uuid(),
  url_hash: pageHash.describe('identifies the page within its job'),
  page_no: z.int().describe('number of the page, in the order stored'),
  url: z.string(),
  kind: z.enum(pageKinds),
  outcome: z.enum(pageOutcomes),
  status: z.int().nullable().describe('HTTP status'),
  reason: z.string().nullable().describe('reason of a skipped page, error code of a failed one'),
  message: z.string().nullable(),
  target_url: z.string().nullable().describe('target of a redirect'),
  title: z.string().nullable(),
  content_type: z.string().nullable(),
  language: z.string().nullable(),
  depth: z.int(),
  attempts: z.int(),
  word_count: z.int().nullable(),
  bytes: z.int().nullable(),
  change: z.enum(pageChanges).nullable().describe('compared with the baseline; null without one'),
  rendered: z.boolean().describe('whether it ran in a browser before it was read'),
  render_reason: z
    .enum(renderReasonNames)
    .nullable()
    .describe('why it was rendered, or why not although it may need JavaScript'),
  proxy: z.string().nullable().describe('proxy server through which the response came; null: none'),
  blocked: block
    .nullable()
    .describe('who blocked the request; also set if the page could be fetched after `on_block` was tried'),
  fetched_at: timestamp,
});
export const listedPage = page.meta({ id: 'ListedPage' });
/** Inside, with Dates. */
export type ListedPage = z.output<typeof listedPage>;

export const shownPage = z
  .object({
    ...page.shape,
    parent: pageHash.nullable().describe('url_hash of the first page that linked to it'),
    canonical_url: z.string().nullable().describe('from its rel=canonical'),
    content_hash: pageHash.nullable(),
    etag: z.string().nullable(),
    last_modified: z.string().nullable(),
    description: z.string().nullable(),
    structured: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        'headings, OpenGraph, product data from JSON-LD and microdata, images, what a document says about itself, and `visibleWords` if the markdown has fewer',
      ),
    links: z.array(z.string()),
    markdown: z.string().nullable().describe('the main content; null if there is none'),
    omitted: z
      .array(z.enum(['markdown', 'links']))
      .describe('fields too large for this response; markdown can be downloaded'),
    has_html: z
      .boolean()
      .describe(
        'whether HTML was stored and can be downloaded; for a rendered page, the HTML after its scripts ran',
      ),
    has_screenshot: z.boolean().describe('whether a screenshot was stored and can be downloaded'),
  })
  .meta({ id: 'ShownPage' });
export type ShownPage = z.output<typeof shownPage>;

export const pageOrders = ['oldest', 'newest'] as const;

const filterFields = {
  outcome: z.enum(pageOutcomes).optional(),
  status: queryNumber(100, 999).optional().describe('HTTP status'),
  reason: text(100).optional().describe('error code of a failed page, or reason of a skipped one'),
  change: z.enum(pageChanges).optional(),
  rendered: queryBoolean
    .optional()
    .describe('true: only pages that ran in a browser; false: only the others'),
  search: text(200).optional().describe('part of the URL or title, ignoring case'),
};

export const pageSearch = z.strictObject(filterFields);
export type PageSearch = z.output<typeof pageSearch>;

export const pageListQuery = z.strictObject({
  ...filterFields,
  order: z
    .enum(pageOrders)
    .default('oldest')
    .describe('failed, skipped and redirected pages are sorted by reason first'),
  limit: pageLimit,
  cursor: text(1000).optional(),
});
export const pageList = pageOf(listedPage);

export const exportFormats = ['jsonl', 'csv', 'warc'] as const;
export type ExportFormat = (typeof exportFormats)[number];
const folder = 'md is a folder of files: `holdfast export JOB --format md` writes it';
export const exportQuery = z.strictObject({
  format: z
    .enum([...exportFormats, 'md'])
    .refine((format) => format !== 'md', `must be one of ${exportFormats.join(', ')}; ${folder}`)
    .meta({ enum: exportFormats })
    .default('jsonl'),
  after: queryNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('only pages after this `page_no`, such as the last of an interrupted export'),
  skip_no_ai: queryBoolean
    .optional()
    .describe('leave out pages whose robots.txt refuses AI input (Content-Signal, Content-Usage)'),
});

/** Over all jobs, the newest first. */
export const allPagesQuery = z.strictObject({
  ...filterFields,
  user_id: text(100).optional().describe('owner; for keys that see all owners'),
  limit: pageLimit,
  cursor: text(1000).optional(),
});

export const pageParams = z.strictObject({ id: z.uuid(), hash: pageHash });

export const pageDiff = z
  .object({
    job_id: z.uuid(),
    url: z.string(),
    change: z.enum(pageChanges),
    baseline: z.uuid().describe('baseline job of the comparison'),
    diff: z
      .string()
      .describe('unified diff of the markdown, below a changed title or headline; empty: unchanged'),
  })
  .meta({ id: 'PageDiff' });
export type PageDiff = z.output<typeof pageDiff>;

/** Reasons of URLs that discovery requested: they are not pages and are not retried. */
export const foundByDiscovery: readonly string[] = ['sitemap', 'link_list', 'absent'];

export const pageErrors = z
  .object({
    data: z.array(
      z.object({
        outcome: z.enum(['failed', 'skipped']),
        reason: z.string(),
        count: z.int(),
        exact: z.boolean().describe('false: the list is incomplete'),
        samples: z.array(
          z.object({
            url_hash: pageHash,
            url: z.string(),
            status: z.int().nullable(),
            message: z.string().nullable(),
            fetched_at: timestamp,
          }),
        ),
      }),
    ),
    more: z.boolean().describe('whether there are more reasons than listed'),
  })
  .meta({ id: 'PageErrors' });
export type PageErrors = z.output<typeof pageErrors>;

/** How much of what a reader sees became markdown: a small share on a host is a bad extraction. */
export const keptText = z
  .object({
    data: z.array(
      z.object({
        host: z.string(),
        pages: z.int(),
        words: z.int().describe('words of the markdown'),
        visible_words: z.int().describe('words that a reader of the pages sees, with menus and footers'),
        kept_percent: z.int(),
      }),
    ),
    hosts: z.int().describe('how many hosts there are; the list has those with the smallest share'),
    pages: z.int().describe('how many pages were counted'),
    exact: z.boolean().describe('false: only the newest pages were counted'),
  })
  .meta({ id: 'KeptText' });
export type KeptText = z.output<typeof keptText>;
