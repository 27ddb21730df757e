import { availableParallelism } from 'node:os';
import {
  type CrawlOptions,
  checkedCrawlOptions,
  crawlFlagNames,
  type crawlOptions,
  HoldfastError,
  parseUrl,
} from '@holdfast/contract';
import type { z } from 'zod';
import { chooseOutputPlace, type OutputPlace } from '../../pages/export/choose-output.ts';
import type { OutputFormat } from '../../pages/export/page-output.ts';
import { type SplitPayload, splitSecrets } from '../../queue/profiles/unnamed-profile.ts';
import { selectorsOf } from '../../web/html/selectors/selector.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { crawlKey } from '../../web/urls/crawl-key.ts';
import { createScope } from '../../web/urls/scope.ts';
import { checkFlags, flagOf } from '../check-flags.ts';
import { readJson } from '../option-values.ts';
import { readSignIn, type SignInFlags } from '../profiles/profile-flags.ts';
import { originOf } from './private-origins.ts';

type Payload = z.input<typeof crawlOptions>;

/** Options of `crawl`, by commander's names. */
export interface CrawlFlags extends SignInFlags {
  profile?: string;
  acceptLanguage?: string;
  cookies?: boolean;
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
  ignoreQuery?: true;
  includeSelector?: string[];
  excludeSelector?: string[];
  imageLinks?: true;
  cleanHtml?: true;
  keepTracking?: true;
  keepSessions?: true;
  traps?: boolean;
  concurrency?: number;
  delay?: number;
  pageTimeout?: number;
  attempts?: number;
  userAgent?: string;
  proxy?: string;
  onBlock?: ('proxy' | 'render')[];
  robotsToken?: string;
  markdown: boolean;
  content?: CrawlOptions['content'];
  storeHtml?: true;
  keepBodies?: true;
  documents?: boolean;
  preferMarkdown?: true;
  render?: CrawlOptions['render'];
  waitFor?: string;
  actions?: string;
  screenshot?: true | string;
  loadMedia?: true;
  maxPageBytes?: number;
  allowPrivate?: string[];
  format?: OutputFormat;
  out?: string;
  overwrite?: true;
  recrawl?: true;
  shards?: number;
  runners?: number;
  quiet?: true;
  json?: true;
}

export interface CrawlRequest {
  readonly options: CrawlOptions;
  /** Only the given options; readers apply the defaults. */
  readonly payload: Payload;
  /** Headers that may be secret: they are stored as an unnamed profile. */
  readonly secrets: SplitPayload['secrets'];
  /** The part of it that may change between commands for the same crawl. */
  readonly pace: Partial<Payload>;
  readonly key: string;
  readonly seedHost: string;
  readonly output: OutputPlace;
  /** How many runners the command starts for the crawl. */
  readonly runners: number;
}

/** Flags that are not named after their field. */
const otherNames: Record<string, string> = {
  url: 'the URL',
  urls: 'the URLs',
  ...Object.fromEntries(Object.entries(crawlFlagNames).map(([flag, field]) => [field, flagOf(flag)])),
};

/** `include[0]` is one of --include; of an action, its place says which. */
function nameOf(field: string): string {
  if (field.startsWith('actions[')) return `--actions: ${field}`;
  const [name = ''] = field.split(/[.[]/);
  return otherNames[name] ?? flagOf(name);
}

/** Placeholder for the profile created with the job. */
const someProfile = '00000000-0000-4000-8000-000000000000';

export function readCrawlRequest(urls: readonly string[], flags: CrawlFlags): CrawlRequest {
  const [url = '', ...others] = urls.map(checkedUrl);
  const { runners } = flags;
  if (runners !== undefined && (runners < 1 || runners > 256))
    throw new HoldfastError('bad_request', '--runners must be a number from 1 to 256');
  const pace = given({
    concurrency: flags.concurrency,
    delay_ms: flags.delay,
    page_timeout_seconds: flags.pageTimeout,
    attempts: flags.attempts,
    user_agent: flags.userAgent,
    proxy: flags.proxy,
    on_block: flags.onBlock,
    robots_token: flags.robotsToken,
    // A worker that may not fetch these origins releases the job, instead of failing its pages.
    needs_private: flags.allowPrivate?.map(originOf),
  });
  const asked = {
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
      ignore_query: flags.ignoreQuery,
      include_selectors: flags.includeSelector,
      exclude_selectors: flags.excludeSelector,
      image_links: flags.imageLinks,
      clean_html: flags.cleanHtml,
      keep_tracking: flags.keepTracking,
      keep_sessions: flags.keepSessions,
      traps: flags.traps === false ? false : undefined,
      markdown: flags.markdown ? undefined : false,
      content: flags.content,
      store_html: flags.storeHtml,
      keep_bodies: flags.keepBodies,
      documents: flags.documents === false ? false : undefined,
      prefer_markdown: flags.preferMarkdown,
      max_page_bytes: flags.maxPageBytes,
      render: flags.render,
      wait_for: flags.waitFor === undefined ? undefined : waitFor(flags.waitFor),
      actions: flags.actions === undefined ? undefined : readActions(flags.actions),
      screenshot: flags.screenshot as CrawlOptions['screenshot'] | undefined,
      load_media: flags.loadMedia,
      recrawl: flags.recrawl,
      shards: flags.shards ?? flags.runners,
      profile: flags.profile,
      accept_language: flags.acceptLanguage,
      cookies: flags.cookies === false ? false : undefined,
    }),
    ...pace,
    ...readSignIn(flags),
  };
  const { payload, secrets } = splitSecrets(asked) as { payload: Payload; secrets: SplitPayload['secrets'] };
  // Changed values do not make it another crawl.
  const signedIn = secrets && { unnamed_profile: someProfile };
  const options = checkFlags(checkedCrawlOptions, { ...payload, ...signedIn }, nameOf);
  assertSeedInScope(options);
  selectorsOf(options.include_selectors, options.exclude_selectors);
  const seedHost = new URL(url).host;
  return {
    options,
    payload,
    secrets,
    pace,
    key: crawlKey(options),
    seedHost,
    output: chooseOutputPlace(flags, options),
    runners: flags.runners ?? Math.min(options.shards ?? 1, availableParallelism()),
  };
}

const actionExample = '[{"type": "click", "selector": "#more"}, {"type": "wait", "milliseconds": 500}]';

function readActions(text: string): Payload['actions'] {
  const actions = readJson(text, '--actions');
  if (Array.isArray(actions)) return actions;
  throw new HoldfastError('bad_request', `--actions must be a JSON list such as ${actionExample}`);
}

/** A number means milliseconds, anything else is a CSS selector. */
function waitFor(text: string): number | string {
  return /^\d{1,6}$/.test(text) ? Number(text) : text;
}

function checkedUrl(text: string): string {
  if (/^https?:\/\//i.test(text) && parseUrl(text) && canonicalUrl(text) !== null) return text;
  const isNearly = !/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && /^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(text);
  throw new HoldfastError('url_invalid', text === '' ? 'it is empty' : text, {
    ...(isNearly && { hint: `Add the scheme: https://${text}` }),
  });
}

/** Compiles the patterns, so that a bad one is reported before anything starts. */
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
  throw new HoldfastError('bad_request', `--exclude matches the start URL ${options.url}`, {
    hint: 'The crawl could not start; use a narrower pattern.',
  });
}

function given<Fields extends object>(fields: Fields): { [K in keyof Fields]?: NonNullable<Fields[K]> } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as { [K in keyof Fields]?: NonNullable<Fields[K]> };
}
