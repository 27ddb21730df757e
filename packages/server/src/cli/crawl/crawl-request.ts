import { type CrawlOptions, crawlFlagNames, crawlOptions, HoldfastError, parseUrl } from '@holdfast/contract';
import type { z } from 'zod';
import { chooseOutputPlace, type OutputPlace } from '../../pages/export/choose-output.ts';
import type { OutputFormat } from '../../pages/export/page-output.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { crawlKey } from '../../web/urls/crawl-key.ts';
import { createScope } from '../../web/urls/scope.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { originOf } from './private-origins.ts';

type Payload = z.input<typeof crawlOptions>;

/** The words of the command line, under the names that commander gives them. */
export interface CrawlFlags {
  depth?: number;
  limit?: number;
  limitPerHost?: number;
  include?: string[];
  exclude?: string[];
  strategy?: CrawlOptions['strategy'];
  scope?: CrawlOptions['scope'];
  pathPrefix?: string;
  discover: boolean;
  ignoreRobots?: true;
  sortQuery?: true;
  keepTracking?: true;
  keepSessions?: true;
  traps?: boolean;
  concurrency?: number;
  delay?: number;
  pageTimeout?: number;
  attempts?: number;
  userAgent?: string;
  markdown: boolean;
  content?: CrawlOptions['content'];
  storeHtml?: true;
  keepBodies?: true;
  maxPageBytes?: number;
  allowPrivate?: string[];
  format?: OutputFormat;
  out?: string;
  overwrite?: true;
  recrawl?: true;
  quiet?: true;
  json?: true;
}

/** What one command asks for, checked. */
export interface CrawlRequest {
  readonly options: CrawlOptions;
  /** Only what was said: defaults are for those who read it. */
  readonly payload: Payload;
  /** The part of it that may differ from one command to the next without making another crawl. */
  readonly pace: Partial<Payload>;
  readonly key: string;
  readonly seedHost: string;
  readonly output: OutputPlace;
}

/** Where it is not the name of the field. */
const otherNames: Record<string, string> = {
  url: 'the URL',
  urls: 'the URLs',
  ...Object.fromEntries(Object.entries(crawlFlagNames).map(([flag, field]) => [field, flagOf(flag)])),
};

/** As it stands on the command line: `include[0]` is one of --include. */
function nameOf(field: string): string {
  const [name = ''] = field.split(/[.[]/);
  return otherNames[name] ?? flagOf(name);
}

export function readCrawlRequest(urls: readonly string[], flags: CrawlFlags): CrawlRequest {
  const [url = '', ...others] = urls.map(checkedUrl);
  const pace = given({
    concurrency: flags.concurrency,
    delay_ms: flags.delay,
    page_timeout_seconds: flags.pageTimeout,
    attempts: flags.attempts,
    user_agent: flags.userAgent,
    // So that a worker that was not given leave hands the job back, instead of failing its pages.
    needs_private: flags.allowPrivate?.map(originOf),
  });
  const payload = {
    url,
    ...given({
      urls: others.length > 0 ? others : undefined,
      strategy: flags.strategy,
      max_depth: flags.depth,
      max_pages: flags.limit,
      max_pages_per_host: flags.limitPerHost,
      scope: flags.scope,
      path_prefix: flags.pathPrefix,
      include: flags.include,
      exclude: flags.exclude,
      discover: flags.discover ? undefined : false,
      ignore_robots: flags.ignoreRobots,
      sort_query: flags.sortQuery,
      keep_tracking: flags.keepTracking,
      keep_sessions: flags.keepSessions,
      traps: flags.traps === false ? false : undefined,
      markdown: flags.markdown ? undefined : false,
      content: flags.content,
      store_html: flags.storeHtml,
      keep_bodies: flags.keepBodies,
      max_page_bytes: flags.maxPageBytes,
      recrawl: flags.recrawl,
    }),
    ...pace,
  };
  const options = checkFlags(crawlOptions, payload, nameOf);
  assertSeedInScope(options);
  const seedHost = new URL(url).host;
  return {
    options,
    payload,
    pace,
    key: crawlKey(options),
    seedHost,
    output: chooseOutputPlace(flags, options),
  };
}

function checkedUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && parseUrl(text) && canonicalUrl(text) !== null) return text;
  const isNearly = !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && /^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(text);
  throw new HoldfastError('url_invalid', text === '' ? 'it is empty' : text, {
    ...(isNearly && { hint: `Give it with its scheme: https://${text}` }),
  });
}

/** Patterns are compiled here, so that a bad one is heard of before anything starts. */
function assertSeedInScope(options: CrawlOptions): void {
  const scope = createScope({
    seed: options.url,
    scope: options.scope,
    include: options.include,
    exclude: options.exclude,
    ...(options.path_prefix !== undefined && { pathPrefix: options.path_prefix }),
  });
  const seed = canonicalUrl(options.url);
  if (seed === null || scope.verdict(seed, 0) !== 'excluded') return;
  throw new HoldfastError('bad_request', `--exclude keeps out ${options.url} itself`, {
    hint: 'The crawl would have nowhere to start; make the pattern narrower.',
  });
}

function given<Fields extends object>(fields: Fields): { [K in keyof Fields]?: NonNullable<Fields[K]> } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as { [K in keyof Fields]?: NonNullable<Fields[K]> };
}
