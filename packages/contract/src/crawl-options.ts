import { z } from 'zod';
import { headerText, pageUrl, text } from './text-fields.ts';

export const crawlStrategies = ['auto', 'recursive', 'sitemap', 'batch', 'single', 'text'] as const;
export const crawlScopes = ['host', 'subdomains', 'any'] as const;
export const contentChoices = ['main', 'full'] as const;
export const renderModes = ['never', 'auto', 'always'] as const;

/** What is done in a rendered page before it is read. */
export const pageAction = z
  .union([
    z.strictObject({ type: z.literal('wait'), milliseconds: z.int().min(0).max(60_000) }),
    z.strictObject({ type: z.literal('wait'), selector: text(500) }),
    z.strictObject({ type: z.literal('click'), selector: text(500) }),
    z.strictObject({ type: z.literal('type'), selector: text(500), text: z.string().max(10_000) }),
    z.strictObject({ type: z.literal('press'), key: text(50) }),
    z.strictObject({
      type: z.literal('scroll'),
      direction: z.enum(['up', 'down']).default('down'),
      amount: z.int().min(1).max(100_000).optional(),
    }),
  ])
  .meta({ id: 'PageAction' });
export type PageAction = z.output<typeof pageAction>;

const patterns = z.array(text(500)).max(100).default([]);

/** What a crawl job is to do: its payload. Fields nobody knows here are kept for those who sent them. */
export const crawlOptions = z.looseObject({
  url: pageUrl.describe('start URL'),
  urls: z.array(pageUrl).max(100_000).optional().describe('further URLs of a batch'),
  strategy: z.enum(crawlStrategies).default('auto'),
  max_depth: z.int().min(0).max(1000).default(50).describe('maximum number of links from the start'),
  max_pages: z
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe('stop after this many fetched pages; manually retried pages are extra'),
  max_pages_per_host: z.int().min(1).max(100_000_000).optional(),
  scope: z.enum(crawlScopes).default('host'),
  path_prefix: text(500).optional().describe('only URLs whose path has this prefix'),
  include: patterns.describe('only URLs that match one of these patterns'),
  exclude: patterns.describe('skip URLs that match one of these patterns'),
  discover: z.boolean().default(true).describe('also look for sitemaps and llms.txt'),
  concurrency: z.int().min(1).max(256).default(16).describe('concurrent requests over all hosts'),
  delay_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe('minimum time between requests of this job to a host; limits of sources apply across all jobs'),
  user_agent: headerText(500).optional(),
  ignore_robots: z.boolean().default(false),
  needs_private: z
    .array(text(500))
    .max(100)
    .default([])
    .describe('private origins that its worker must be allowed to fetch; grants no access by itself'),
  sort_query: z
    .boolean()
    .default(false)
    .describe('treat URLs that differ only in parameter order as the same'),
  keep_tracking: z.boolean().default(false).describe('keep tracking parameters such as utm_… in URLs'),
  keep_sessions: z.boolean().default(false).describe('keep session ids in URLs'),
  traps: z.boolean().default(true).describe('skip endless URL spaces once their pages repeat'),
  markdown: z.boolean().default(true).describe('store the main content as markdown'),
  content: z
    .enum(contentChoices)
    .default('main')
    .describe('convert the main content or the full visible page to markdown'),
  store_html: z.boolean().default(false),
  render: z
    .enum(renderModes)
    .default('auto')
    .describe('render pages in a browser: never, always, or auto (only those that need JavaScript)'),
  wait_for: z
    .union([z.int().min(0).max(60_000), text(500)])
    .optional()
    .describe('in rendered pages, wait for this CSS selector or number of milliseconds'),
  actions: z
    .array(pageAction)
    .max(50)
    .optional()
    .describe('actions to perform in every rendered page before it is read'),
  screenshot: z
    .union([z.boolean(), z.enum(['viewport', 'full_page'])])
    .default(false)
    .describe('store a screenshot of every page; renders all pages'),
  load_media: z
    .boolean()
    .default(false)
    .describe('let rendered pages load images, fonts, media and trackers'),
  keep_bodies: z.boolean().default(false).describe('store responses as received, for WARC'),
  max_page_bytes: z.int().min(1_000).max(200_000_000).default(10_485_760),
  page_timeout_seconds: z.number().min(0.1).max(3600).default(60),
  attempts: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe(
      'attempts per URL for transient errors; refusals by an overloaded host are counted separately, up to four times as many',
    ),
  recrawl: z
    .boolean()
    .default(false)
    .describe('fetch only what changed since the last completed crawl with the same start and options'),
});
export type CrawlOptions = z.output<typeof crawlOptions>;

/** Flags of `holdfast crawl` that are not called as the field that they set, written as a field. */
export const crawlFlagNames = {
  depth: 'max_depth',
  limit: 'max_pages',
  limit_per_host: 'max_pages_per_host',
  delay: 'delay_ms',
  page_timeout: 'page_timeout_seconds',
} as const satisfies Record<string, keyof CrawlOptions>;
