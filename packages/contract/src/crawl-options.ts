import { z } from 'zod';
import { headerText, pageUrl, text } from './text-fields.ts';

export const crawlStrategies = ['auto', 'recursive', 'sitemap', 'batch', 'single', 'text'] as const;
export const crawlScopes = ['host', 'subdomains', 'any'] as const;
export const contentChoices = ['main', 'full'] as const;
export const renderModes = ['never', 'auto', 'always'] as const;

/** What is done in a rendered page before it is read. */
export const pageAction = z.union([
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
]);
export type PageAction = z.output<typeof pageAction>;

const patterns = z.array(text(500)).max(100).default([]);

/** What a crawl job is to do: its payload. Fields nobody knows here are kept for those who sent them. */
export const crawlOptions = z.looseObject({
  url: pageUrl.describe('where to start'),
  urls: z.array(pageUrl).max(100_000).optional().describe('the URLs of a batch, beside the first'),
  strategy: z.enum(crawlStrategies).default('auto'),
  max_depth: z.int().min(0).max(1000).default(50).describe('links to follow from the start'),
  max_pages: z
    .int()
    .min(1)
    .max(100_000_000)
    .optional()
    .describe('stop after so many fetched pages; pages tried again by hand come on top'),
  max_pages_per_host: z.int().min(1).max(100_000_000).optional(),
  scope: z.enum(crawlScopes).default('host'),
  path_prefix: text(500).optional().describe('only URLs whose path begins so'),
  include: patterns.describe('only URLs that match one of these patterns'),
  exclude: patterns.describe('no URLs that match one of these patterns'),
  discover: z.boolean().default(true).describe('look for sitemaps and llms.txt as well'),
  concurrency: z.int().min(1).max(256).default(16).describe('requests under way at once, over all hosts'),
  delay_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe(
      'least time between two requests of this job to a host; the limit of a source holds over all jobs',
    ),
  user_agent: headerText(500).optional(),
  ignore_robots: z.boolean().default(false),
  needs_private: z
    .array(text(500))
    .max(100)
    .default([])
    .describe('origins that only a worker that may fetch them can crawl; allows nothing by itself'),
  sort_query: z.boolean().default(false).describe('URLs that differ in the order of parameters are the same'),
  keep_tracking: z.boolean().default(false).describe('keep utm_… and the like in URLs'),
  keep_sessions: z.boolean().default(false).describe('keep session ids in URLs'),
  traps: z.boolean().default(true).describe('skip URLs of which a site has endlessly many, once they repeat'),
  markdown: z.boolean().default(true).describe('store the main content as markdown'),
  content: z
    .enum(contentChoices)
    .default('main')
    .describe('what becomes markdown: the main content, or the full visible page'),
  store_html: z.boolean().default(false),
  render: z
    .enum(renderModes)
    .default('auto')
    .describe('run pages in a browser: never, always, or auto, only those that need JavaScript'),
  wait_for: z
    .union([z.int().min(0).max(60_000), text(500)])
    .optional()
    .describe('in a rendered page, wait for this CSS selector, or so many milliseconds'),
  actions: z.array(pageAction).max(50).optional().describe('done in every rendered page before it is read'),
  screenshot: z
    .union([z.boolean(), z.enum(['viewport', 'full_page'])])
    .default(false)
    .describe('keep a picture of every page, which renders it'),
  load_media: z
    .boolean()
    .default(false)
    .describe('let rendered pages load images, fonts, media and trackers'),
  keep_bodies: z.boolean().default(false).describe('keep answers as they came, for WARC'),
  max_page_bytes: z.int().min(1_000).max(200_000_000).default(10_485_760),
  page_timeout_seconds: z.number().min(0.1).max(3600).default(60),
  attempts: z
    .int()
    .min(1)
    .max(20)
    .default(3)
    .describe(
      'tries of a URL that fails for a passing reason; refusals by an overloaded host are counted apart, up to four times as many',
    ),
  recrawl: z
    .boolean()
    .default(false)
    .describe('ask only for what changed since the last completed crawl of the same start and options'),
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
