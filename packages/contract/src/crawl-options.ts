import { z } from 'zod';
import { blockEscalations, contentChoices, crawlScopes, crawlStrategies } from './crawl-choices.ts';
import { plainRequestHeaders } from './profile.ts';
import { proxyChoice } from './proxy-name.ts';
import { checkRendering, renderFields } from './render-options.ts';
import { headerText, pageUrl, text } from './text-fields.ts';

/** What requests carry besides the URL. Values that may be secret are in a profile, not here. */
export const sessionFields = {
  profile: text(100)
    .optional()
    .describe('name of a profile of the owner: headers and cookies for its origins'),
  unnamed_profile: z
    .uuid()
    .optional()
    .describe('profile created for the headers of this request; set by Holdfast'),
  accept_language: headerText(500).optional().describe('Accept-Language header, such as de, en;q=0.5'),
  headers: plainRequestHeaders.optional().describe('headers sent with every request'),
};

const patterns = z.array(text(500)).max(100).default([]);

const selectors = z.array(text(500)).max(50).default([]);

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
  concurrency: z
    .int()
    .min(1)
    .max(256)
    .default(16)
    .describe('concurrent requests of each runner over all hosts'),
  shards: z
    .int()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'how many runners, on any machines, may work on the crawl at once; fixed when it starts (default: 1)',
    ),
  delay_ms: z
    .int()
    .min(0)
    .max(600_000)
    .default(0)
    .describe('minimum time between requests of this job to a host; limits of sources apply across all jobs'),
  user_agent: headerText(500).optional(),
  ...sessionFields,
  cookies: z.boolean().default(true).describe('store cookies of sites and send them back'),
  proxy: proxyChoice.optional().describe('name of the proxy for all requests of this job; direct: no proxy'),
  on_block: z
    .array(z.enum(blockEscalations))
    .max(2)
    .default([])
    .describe(
      'what to try when a page is blocked: proxy: up to two other servers of the proxy; render: then a browser, if it is a challenge',
    ),
  robots_token: text(100)
    .regex(/^[a-z_-]+$/i, 'must be a name of letters, - and _')
    .optional()
    .describe('name by which robots.txt addresses the crawler; default: the first word of the user agent'),
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
  ignore_query: z
    .boolean()
    .default(false)
    .describe('treat links that differ only in their query as the same, and follow them without it'),
  keep_tracking: z.boolean().default(false).describe('keep tracking parameters such as utm_… in URLs'),
  keep_sessions: z.boolean().default(false).describe('keep session ids in URLs'),
  traps: z.boolean().default(true).describe('skip endless URL spaces once their pages repeat'),
  markdown: z.boolean().default(true).describe('store the main content as markdown'),
  content: z
    .enum(contentChoices)
    .default('main')
    .describe('convert the main content or the full visible page to markdown'),
  include_selectors: selectors.describe(
    'only the parts of pages that match one of these CSS selectors become markdown',
  ),
  exclude_selectors: selectors.describe('leave out parts of pages that match one of these CSS selectors'),
  image_links: z.boolean().default(false).describe('store the URLs of the images of a page'),
  store_html: z.boolean().default(false),
  clean_html: z
    .boolean()
    .default(false)
    .describe(
      'store the HTML of what becomes markdown, without scripts, styles and classes, instead of the page as it came',
    ),
  documents: z.boolean().default(true).describe('read PDF documents as markdown'),
  prefer_markdown: z
    .boolean()
    .default(false)
    .describe('request markdown before HTML; it may have fewer links to follow'),
  ...renderFields,
  screenshot: z
    .union([z.boolean(), z.enum(['viewport', 'full_page'])])
    .default(false)
    .describe('store a screenshot of every page: viewport (also true) or full_page; renders all pages'),
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
/** The same, for those who ask for a crawl: options that contradict each other are refused. */
export const checkedCrawlOptions = crawlOptions.superRefine(checkRendering);

/** Flags of `holdfast crawl` that are not called as the field that they set, written as a field. */
export const crawlFlagNames = {
  depth: 'max_depth',
  limit: 'max_pages',
  limit_per_host: 'max_pages_per_host',
  delay: 'delay_ms',
  page_timeout: 'page_timeout_seconds',
  include_selector: 'include_selectors',
  exclude_selector: 'exclude_selectors',
} as const satisfies Record<string, keyof CrawlOptions>;
