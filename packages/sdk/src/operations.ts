// Written from the OpenAPI document by scripts/generate-sdk.ts; a test holds it to the document.
export interface ActionRequest {
  /** reason, stored in the timeline */
  reason?: string | undefined;
}

export interface BasicAuth {
  username: string;
  password: string;
}

export interface Block {
  /** who blocked the request; site: not by a known service */
  by:
    | 'akamai'
    | 'alibaba'
    | 'anubis'
    | 'aws_waf'
    | 'azure'
    | 'cloudflare'
    | 'cloudfront'
    | 'datadome'
    | 'ddos_guard'
    | 'f5'
    | 'google'
    | 'human'
    | 'imperva'
    | 'kasada'
    | 'radware'
    | 'sucuri'
    | 'vercel'
    | 'wordfence'
    | 'site';
  kind: 'challenge' | 'refusal' | 'rate_limit' | 'legal';
  /** HTTP status of the blocked answer */
  status: number;
  /** the evidence in the response */
  evidence: string;
  /** what `on_block` had it tried afterwards */
  tried?: Array<'proxy' | 'render'> | undefined;
}

export interface Bot {
  bot_id: string;
  user_id: string;
  /** false: all calls of the bot are refused */
  enabled: boolean;
  max_jobs_per_pull: number;
  /** null: no limit */
  max_pulls_per_minute: number | null;
  /** only jobs of these hosts and their subdomains; null: all */
  allowed_domains: string[] | null;
  /** lease of its jobs, unless the job or its policy sets one */
  lock_ttl_seconds: number | null;
  created_at: string;
  last_seen_at: string | null;
  pulls: number;
  jobs_pulled: number;
  jobs_succeeded: number;
  jobs_failed: number;
  /** jobs that it currently holds */
  jobs_held: number;
  /** since the start of the previous full hour */
  pulls_last_hour: number;
  /** share of successful submissions, 0 to 1; null before the first */
  success_rate: number | null;
}

export interface BotChange {
  /** false: all calls of the bot are refused */
  enabled?: boolean | undefined;
  max_jobs_per_pull?: number | undefined;
  /** null: no limit */
  max_pulls_per_minute?: number | null | undefined;
  /** only jobs of these hosts and their subdomains; null: all */
  allowed_domains?: string[] | null | undefined;
  /** lease of its jobs, unless the job or its policy sets one */
  lock_ttl_seconds?: number | null | undefined;
}

export interface BulkActOnJobsBody {
  action: UserAction;
  ids?: string[] | undefined;
  filter?: JobFilter | undefined;
  /** required if the filter matches everything */
  all?: true | undefined;
  /** next_cursor of a response that ran out of time */
  cursor?: string | undefined;
  /** reason, stored in the timeline */
  reason?: string | undefined;
  /** for a retry: start over. Default: false */
  afresh?: boolean | undefined;
}

export interface BulkAnswer {
  action: UserAction;
  outcomes: {
    /** jobs whose status changed, or that run again as a new job */
    done: number;
    /** running jobs whose holders were asked to stop */
    requested: number;
    /** jobs whose status does not allow the action */
    not_allowed: number;
    /** jobs that would exceed the key's max_live_jobs */
    over_quota: number;
    /** ids without a job visible to this key */
    not_found: number;
  };
  /** set if time ran out: repeat the request with it as `cursor` */
  next_cursor: string | null;
}

export interface BulkCreateJobsAnswer {
  data: CreatedJob[];
}

export interface BulkCreateJobsBody {
  jobs: NewBulkJob[];
}

export interface ChangeBotQuery {
  /** owner, for keys that see all owners; default: the caller */
  user_id?: string | undefined;
}

export interface ChangeCounts {
  /** baseline job of the recrawl */
  baseline: string;
  new: number;
  changed: number;
  unchanged: number;
  gone: number;
}

export interface CollectPayload {
  /** an intake of the owner; source_id names the source to query */
  intake_id: string;
  /** your own data, stored with the job */
  metadata?: Record<string, unknown> | undefined;
}

export interface Count {
  count: number;
  /** at_least: a lower bound; estimate: from the database's statistics */
  precision: 'exact' | 'at_least' | 'estimate';
}

export interface CrawlCounters {
  /** fetched and failed pages */
  total_processed: number;
  /** URLs found and not yet crawled */
  total_pending: number;
  current_depth: number;
  fetched: number;
  failed: number;
  skipped: number;
  redirected: number;
  /** URLs left when a limit was reached */
  not_crawled: number;
  /** links outside the scope, by reason */
  off_scope: Record<string, number>;
  bytes: number;
  current_url: string | null;
  /** changes found by a recrawl; null otherwise */
  changes: ChangeCounts | null;
  updated_at: string;
}

export interface CrawlOptions extends VisitOptions {
  /** further URLs of a batch */
  urls?: string[] | undefined;
  /** Default: "auto" */
  strategy?: 'auto' | 'recursive' | 'sitemap' | 'batch' | 'single' | 'text' | undefined;
  /** maximum number of links from the start. Default: 50 */
  max_depth?: number | undefined;
  /** stop after this many fetched pages; manually retried pages are extra */
  max_pages?: number | undefined;
  max_pages_per_host?: number | undefined;
  /** Default: "host" */
  scope?: 'host' | 'subdomains' | 'any' | undefined;
  /** only URLs whose path has this prefix */
  path_prefix?: string | undefined;
  /** only URLs that match one of these patterns. Default: [] */
  include?: string[] | undefined;
  /** skip URLs that match one of these patterns. Default: [] */
  exclude?: string[] | undefined;
  /** also look for sitemaps and llms.txt. Default: true */
  discover?: boolean | undefined;
  /** concurrent requests of each runner over all hosts. Default: 16 */
  concurrency?: number | undefined;
  /** how many runners, on any machines, may work on the crawl at once; fixed when it starts (default: 1) */
  shards?: number | undefined;
  /** minimum time between requests of this job to a host; limits of sources apply across all jobs. Default: 0 */
  delay_ms?: number | undefined;
  user_agent?: string | undefined;
  /** store cookies of sites and send them back. Default: true */
  cookies?: boolean | undefined;
  /** name of the proxy for all requests of this job; direct: no proxy */
  proxy?: string | undefined;
  /** what to try when a page is blocked: proxy: up to two other servers of the proxy; render: then a browser, if it is a challenge. Default: [] */
  on_block?: Array<'proxy' | 'render'> | undefined;
  /** name by which robots.txt addresses the crawler; default: the first word of the user agent */
  robots_token?: string | undefined;
  /** Default: false */
  ignore_robots?: boolean | undefined;
  /** treat URLs that differ only in parameter order as the same. Default: false */
  sort_query?: boolean | undefined;
  /** treat links that differ only in their query as the same, and follow them without it. Default: false */
  ignore_query?: boolean | undefined;
  /** keep tracking parameters such as utm_… in URLs. Default: false */
  keep_tracking?: boolean | undefined;
  /** keep session ids in URLs. Default: false */
  keep_sessions?: boolean | undefined;
  /** skip endless URL spaces once their pages repeat. Default: true */
  traps?: boolean | undefined;
  /** store the main content as markdown. Default: true */
  markdown?: boolean | undefined;
  /** convert the main content or the full visible page to markdown. Default: "main" */
  content?: 'main' | 'full' | undefined;
  /** only the parts of pages that match one of these CSS selectors become markdown. Default: [] */
  include_selectors?: string[] | undefined;
  /** leave out parts of pages that match one of these CSS selectors. Default: [] */
  exclude_selectors?: string[] | undefined;
  /** store the URLs of the images of a page. Default: false */
  image_links?: boolean | undefined;
  /** Default: false */
  store_html?: boolean | undefined;
  /** store the HTML of what becomes markdown, without scripts, styles and classes, instead of the page as it came. Default: false */
  clean_html?: boolean | undefined;
  /** read PDF documents as markdown. Default: true */
  documents?: boolean | undefined;
  /** request markdown before HTML; it may have fewer links to follow. Default: false */
  prefer_markdown?: boolean | undefined;
  /** store a screenshot of every page: viewport (also true) or full_page; renders all pages. Default: false */
  screenshot?: boolean | 'viewport' | 'full_page' | undefined;
  /** store responses as received, for WARC. Default: false */
  keep_bodies?: boolean | undefined;
  /** Default: 10485760 */
  max_page_bytes?: number | undefined;
  /** Default: 60 */
  page_timeout_seconds?: number | undefined;
  /** attempts per URL for transient errors; refusals by an overloaded host are counted separately, up to four times as many. Default: 3 */
  attempts?: number | undefined;
  /** fetch only what changed since the last completed crawl with the same start and options. Default: false */
  recrawl?: boolean | undefined;
}

export interface CrawlPayload extends CrawlOptions {
  /** start URL */
  url: string;
}

export interface CrawlerIdentity {
  /** newest first; empty: requests are not signed */
  data: IdentityKey[];
}

export interface CreateKeyBody {
  /** name or purpose */
  name: string;
  /** owner of what the key creates. Default: "local" */
  user_id?: string | undefined;
  scopes: KeyScope[];
  /** the bot it belongs to (requires the scope bots); default: any bot of its owner */
  bot_id?: string | undefined;
  /** must be in the future */
  expires_at?: string | undefined;
  max_live_jobs?: number | undefined;
  /** per UTC day */
  max_jobs_per_day?: number | undefined;
  max_requests_per_minute?: number | undefined;
}

export interface CreatedBot extends Bot {
  /** API key of this bot; shown once */
  token: string;
}

export interface CreatedJob extends Job {
  /** created; repeated: same Idempotency-Key; deduplicated: live job with the same dedupe_key */
  outcome: 'created' | 'repeated' | 'deduplicated';
}

export interface CreatedKey extends Key {
  /** shown once */
  secret: string;
}

export interface CreatedWebhook extends Webhook {
  /** signing secret, whsec_…; shown once */
  secret: string;
}

export interface DeleteJobQuery {
  /** also delete its result or price points */
  with_results?: boolean | undefined;
}

export interface DeletedJob {
  id: string;
  kind: JobKind;
  /** status before deletion */
  status: JobStatus;
  /** URL of the payload */
  url: string | null;
  user_id: string;
  /** number deleted with the job */
  results: number;
  /** number deleted with the job */
  price_points: number;
  /** false: hidden pages are still being deleted, or a running recrawl compares with them */
  is_cleared: boolean;
}

export interface Distribution {
  currency: string;
  /** each includes its lower bound, only the last its upper bound */
  bins: Array<{
    /** decimal text */
    from: string;
    /** decimal text */
    to: string;
    sold: number;
    ask: number;
  }>;
  /** the nearest excluded prices */
  outliers: Array<{
    /** decimal text */
    price: string;
    price_type: 'sold' | 'ask' | 'bid';
    source_id: string;
  }>;
}

export interface EnqueueIntakeAnswer {
  data: EnqueuedIntake[];
}

export interface EnqueueIntakesAnswer {
  data: EnqueuedIntake[];
}

export interface EnqueueIntakesBody {
  ids: string[];
  sources?: string[] | undefined;
  /** seconds between the starts of two jobs. Default: 1 */
  stagger_seconds?: number | undefined;
  /** Default: 0 */
  priority?: number | undefined;
}

export interface EnqueuedIntake {
  intake_id: string;
  source_id: string;
  /** deduplicated: a live job already queries this source */
  outcome: 'created' | 'repeated' | 'deduplicated';
  job: Job;
}

export type Executor = 'builtin' | 'bot';

export interface ExportPagesQuery {
  /** Default: "jsonl" */
  format?: 'jsonl' | 'csv' | 'warc' | undefined;
  /** only pages after this `page_no`, such as the last of an interrupted export */
  after?: number | undefined;
  /** leave out pages whose robots.txt refuses AI input (Content-Signal, Content-Usage) */
  skip_no_ai?: boolean | undefined;
}

export interface FrontierSummary {
  /** URLs found and not yet crawled, over all hosts */
  total_pending: number;
  /** hosts with URLs left */
  hosts: number;
  /** false: there are more hosts, possibly with more URLs */
  hosts_exact: boolean;
  /** hosts with the most URLs first */
  data: Array<{
    host: string;
    pending: number;
    done: number;
    /** null: no request to the host yet */
    source_id: string | null;
    /** delay between requests over all workers; 0: none */
    delay_ms: number;
    rate_limit_per_minute: number | null;
    /** concurrent requests over all workers */
    concurrency: number;
    /** factor by which concurrency is reduced because responses are slower */
    slowdown: number;
    /** maximum requests per minute because it refused more */
    pace_per_minute: number | null;
    breaker: 'closed' | 'open' | 'half_open';
    paused: boolean;
    /** null while paused: an operator must resume it */
    paused_until: string | null;
    /** earliest time of the next request, in the past if at once; null: after it is resumed */
    next_ready_at: string | null;
  }>;
}

export interface HeartbeatAnswer {
  success: true;
  data: {
    job_id: string;
    /** UTC, in whole seconds */
    locked_until: string;
    /** pause, cancel: stop and submit success: false */
    action: 'continue' | 'pause' | 'cancel';
  };
}

export interface HeartbeatRequest {
  /** name of the calling bot; must match if the key belongs to a bot */
  bot_id: string;
  job_id: string;
  /** from the pull; without it, only bot_id is checked */
  lease_token?: string | null | undefined;
}

export interface HistoricPrice {
  result_id: string;
  price: string;
  currency: string;
  in_stock: boolean | null;
  price_change: PriceDifference | null;
  crawled_at: string;
}

export interface HistoricValuation extends Valuation {
  id: string;
}

export interface IdentityKey {
  /** JWK thumbprint; the keyid of signatures */
  id: string;
  /** `x` of the Ed25519 JWK */
  public_key: string;
  /** origin that serves the key directory; the value of Signature-Agent */
  agent: string;
  /** upcoming: published, and signs later; retiring: signs no more, and is still published */
  status: 'upcoming' | 'signing' | 'retiring';
  created_at: string;
  active_from: string;
  retired_at: string | null;
}

export interface ImportIntakesAnswer {
  /** in the order of the request */
  data: Intake[];
  created: number;
  /** existing intakes with the same reference */
  changed: number;
}

export interface ImportedPricePoints {
  added: number;
  /** existing points that now have a stronger match */
  strengthened: number;
  /** existing points that stay as they are */
  kept: number;
}

export interface Intake {
  id: string;
  user_id: string;
  reference: string | null;
  title: string | null;
  attributes: Record<string, string | number | boolean>;
  must_agree: string[] | null;
  currency: string | null;
  tags: string[];
  created_at: string;
  updated_at: string;
}

export interface IntakeChange {
  /** description in the words of a listing */
  title?: string | null | undefined;
  /** what distinguishes the item, such as year, mintmark, denomination and series of a coin */
  attributes?: Record<string, string | number | boolean> | undefined;
  /** attributes that a listing must match; null: year, mintmark, denomination and grade */
  must_agree?: string[] | null | undefined;
  /** currency of its valuation; null: that of most price points */
  currency?: string | null | undefined;
  tags?: string[] | undefined;
  /** your own id; an import with the same reference updates the intake */
  reference?: string | null | undefined;
}

export interface IntakeImport {
  intakes?: NewIntake[] | undefined;
  /** CSV with a header row; columns that are not fields of an intake become attributes */
  csv?: string | undefined;
}

export interface Job {
  id: string;
  kind: JobKind;
  executor: Executor;
  /** URL of the payload */
  url: string | null;
  payload: Record<string, unknown>;
  status: JobStatus;
  /** action requested of the job's holder */
  requested_action: 'pause' | 'cancel' | null;
  priority: number;
  progress_percentage: number;
  retry_count: number;
  max_retries: number;
  error_code: string | null;
  error_message: string | null;
  /** private origins that its worker must be allowed to fetch; null: any worker can run it */
  waits_for: string[] | null;
  /** current or last holder */
  worker_id: string | null;
  /** number of its latest lease */
  fence: number;
  lease_expires_at: string | null;
  last_heartbeat: string | null;
  run_at: string | null;
  next_retry_at: string | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  dedupe_key: string | null;
  idempotency_key: string | null;
  source_id: string | null;
  policy_id: string | null;
  /** the completed job that this job reruns */
  rerun_of: string | null;
  user_id: string;
  /** actions possible now; in lists, those its status allows */
  allowed_actions: JobAction[];
}

export type JobAction =
  | 'runNow'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'retry'
  | 'resetLock'
  | 'expire'
  | 'retryUrls';

export interface JobEvent {
  /** number of the event within its job, from 1 */
  event_no: number;
  transition: Transition;
  from_status: JobStatus | null;
  to_status: JobStatus;
  fence: number;
  at: string;
  actor: string;
  reason: string | null;
}

export interface JobFilter {
  status?: JobStatus[] | undefined;
  kind?: JobKind | undefined;
  executor?: Executor | undefined;
  priority_min?: number | undefined;
  priority_max?: number | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** last run started at or after this time */
  locked_after?: string | undefined;
  locked_before?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
  policy_id?: string | undefined;
  source_id?: string | undefined;
  /** intake whose prices it collects */
  intake_id?: string | undefined;
  worker_id?: string | undefined;
  /** whether a holder has it now */
  locked?: boolean | undefined;
  /** part of the URL, ignoring case */
  search?: string | undefined;
  /** exact prefix of the URL */
  url_prefix?: string | undefined;
}

export type JobKind = 'crawl' | 'visit' | 'collect';

export interface JobProgress {
  job_id: string;
  kind: JobKind;
  status: JobStatus;
  requested_action: 'pause' | 'cancel' | null;
  /** never decreases; 100 only when completed */
  progress_percentage: number;
  /** pages fetched and failed */
  done: number;
  /** URLs found and not yet crawled */
  pending: number;
  fetched: number;
  failed: number;
  skipped: number;
  redirected: number;
  /** URLs left when a limit was reached */
  not_crawled: number;
  bytes: number;
  current_depth: number;
  current_url: string | null;
  /** changes found by a recrawl; null otherwise */
  changes: ChangeCounts | null;
  /** recent rate; null while the job does not run */
  pages_per_second: number | null;
  /** estimate from the recent rate and the known URLs */
  estimated_end_at: string | null;
  retry_count: number;
  error_code: string | null;
  error_message: string | null;
  /** start of the last run */
  started_at: string | null;
  completed_at: string | null;
  /** last checkpoint of a crawl */
  updated_at: string | null;
}

export type JobStatus =
  | 'pending'
  | 'processing'
  | 'retryable'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'expired';

export interface KeptText {
  data: Array<{
    host: string;
    pages: number;
    /** words of the markdown */
    words: number;
    /** words that a reader of the pages sees, with menus and footers */
    visible_words: number;
    kept_percent: number;
  }>;
  /** how many hosts there are; the list has those with the smallest share */
  hosts: number;
  /** how many pages were counted */
  pages: number;
  /** false: only the newest pages were counted */
  exact: boolean;
}

export interface Key {
  id: string;
  /** start of its secret */
  prefix: string;
  name: string;
  user_id: string;
  scopes: KeyScope[];
  bot_id: string | null;
  max_live_jobs: number | null;
  max_jobs_per_day: number | null;
  max_requests_per_minute: number | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** accurate to a minute */
  last_used_at: string | null;
}

export type KeyScope = 'jobs:read' | 'jobs:write' | 'bots' | 'operate' | 'admin';

export interface ListAllPagesQuery extends PageQuery {
  outcome?: PageOutcome | undefined;
  /** HTTP status */
  status?: number | undefined;
  /** error code of a failed page, or reason of a skipped one */
  reason?: string | undefined;
  change?: PageChange | undefined;
  /** true: only pages that ran in a browser; false: only the others */
  rendered?: boolean | undefined;
  /** part of the URL or title, ignoring case */
  search?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListBotsQuery extends PageQuery {
  enabled?: boolean | undefined;
  /** owner, for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListEventsQuery {
  /** maximum number of entries */
  limit?: number | undefined;
  /** only events after this one */
  cursor?: number | undefined;
}

export interface ListIntakesQuery extends PageQuery {
  tag?: string | undefined;
  reference?: string | undefined;
  /** part of the title, ignoring case */
  search?: string | undefined;
  /** whether it has a valuation */
  valued?: boolean | undefined;
  confidence_min?: number | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListJobsQuery extends JobFilter, PageQuery {}

export type ListKeysQuery = PageQuery;

export interface ListPagesQuery extends PageQuery {
  outcome?: PageOutcome | undefined;
  /** HTTP status */
  status?: number | undefined;
  /** error code of a failed page, or reason of a skipped one */
  reason?: string | undefined;
  change?: PageChange | undefined;
  /** true: only pages that ran in a browser; false: only the others */
  rendered?: boolean | undefined;
  /** part of the URL or title, ignoring case */
  search?: string | undefined;
  /** failed, skipped and redirected pages are sorted by reason first. Default: "oldest" */
  order?: 'oldest' | 'newest' | undefined;
}

export interface ListPoliciesQuery extends PageQuery {
  enabled?: boolean | undefined;
  kind?: 'crawl' | 'visit' | undefined;
  executor?: Executor | undefined;
  priority?: number | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
  next_run_after?: string | undefined;
  next_run_before?: string | undefined;
  /** part of the URL, ignoring case */
  search?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListPriceChangesQuery extends PageQuery {
  policy_id?: string | undefined;
  /** exact URL */
  url?: string | undefined;
  changed_after?: string | undefined;
  changed_before?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListPriceHistoryQuery extends PageQuery {
  policy_id?: string | undefined;
  url?: string | undefined;
  currency?: string | undefined;
  crawled_after?: string | undefined;
  crawled_before?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListPricePointsQuery extends PageQuery {
  intake_id?: string | undefined;
  source_id?: string | undefined;
  job_id?: string | undefined;
  price_type?: 'sold' | 'ask' | 'bid' | undefined;
  currency?: string | undefined;
  observed_after?: string | undefined;
  observed_before?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListProfilesQuery {
  /** maximum number of entries */
  limit?: number | undefined;
  /** name of the last profile of the previous page */
  cursor?: string | undefined;
}

export type ListProxiesQuery = PageQuery;

export interface ListResultsQuery extends PageQuery {
  currency?: string | undefined;
  in_stock?: boolean | undefined;
  crawled_after?: string | undefined;
  crawled_before?: string | undefined;
  /** same as crawled_after */
  created_after?: string | undefined;
  created_before?: string | undefined;
  /** exact URL */
  url?: string | undefined;
  policy_id?: string | undefined;
  job_id?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListSourcesQuery extends PageQuery {
  configured?: boolean | undefined;
  /** true: only blocked ones; false: only the others */
  blocked?: boolean | undefined;
}

export type ListValuationHistoryQuery = PageQuery;

export interface ListValuationsQuery extends PageQuery {
  confidence_min?: number | undefined;
  /** currency of the intake */
  tag?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListWebhookDeliveriesQuery extends PageQuery {
  status?: 'pending' | 'delivered' | 'dead' | undefined;
}

export interface ListWebhooksQuery extends PageQuery {
  enabled?: boolean | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ListWorkersQuery extends PageQuery {
  /** true: only silent workers; false: only the others */
  silent?: boolean | undefined;
}

export interface ListedIntake extends Intake {
  /** observed prices, counted up to 1,000 */
  points: number;
  /** null: no comparable price yet */
  valuation: {
    currency: string;
    median: string;
    confidence: number;
    valued_at: string;
  } | null;
}

export interface ListedJob extends Job {
  /** what the job waits for and what ends the wait; null while it runs, is paused or has finished */
  waiting: Waiting | null;
}

export interface ListedPage {
  job_id: string;
  /** identifies the page within its job */
  url_hash: string;
  /** number of the page, in the order stored */
  page_no: number;
  url: string;
  kind: 'page' | 'sitemap' | 'text';
  outcome: PageOutcome;
  /** HTTP status */
  status: number | null;
  /** reason of a skipped page, error code of a failed one */
  reason: string | null;
  message: string | null;
  /** target of a redirect */
  target_url: string | null;
  title: string | null;
  content_type: string | null;
  language: string | null;
  depth: number;
  attempts: number;
  word_count: number | null;
  bytes: number | null;
  /** compared with the baseline; null without one */
  change: PageChange | null;
  /** whether it ran in a browser before it was read */
  rendered: boolean;
  /** why it was rendered, or why not although it may need JavaScript */
  render_reason:
    | 'always'
    | 'screenshot'
    | 'actions'
    | 'hash_route'
    | 'empty'
    | 'noscript'
    | 'thin'
    | 'mount'
    | 'data'
    | 'clicks'
    | 'no_links'
    | 'markup'
    | 'script'
    | 'complete'
    | 'no_browser'
    | 'render_failed'
    | null;
  /** proxy server through which the response came; null: none */
  proxy: string | null;
  /** who blocked the request; also set if the page could be fetched after `on_block` was tried */
  blocked: Block | null;
  fetched_at: string;
}

export interface ListedPricePoint {
  id: string;
  intake_id: string;
  source_id: string;
  /** unique per intake and source */
  dedupe_key: string;
  /** decimal text, exactly as found */
  price: string;
  currency: string;
  price_type: 'sold' | 'ask' | 'bid';
  /** how well the listing matches the item: "0.000" to "1.000" */
  match_strength: string;
  external_id: string | null;
  listing_url: string | null;
  listing_title: string | null;
  listing_date: string | null;
  observed_at: string;
  /** null: added by hand */
  job_id: string | null;
  actor: string;
}

export interface ListedResult {
  id: string;
  job_id: string;
  policy_id: string | null;
  user_id: string;
  url: string;
  /** decimal text, exactly as found */
  price: string | null;
  currency: string | null;
  title: string | null;
  in_stock: boolean | null;
  /** submitted by: bot:… or supervisor:… */
  actor: string;
  has_raw_html: boolean;
  /** null: unchanged, or the first price */
  price_change: PriceDifference | null;
  crawled_at: string;
}

export interface NewBot extends BotChange {
  /** name of the bot */
  bot_id: string;
  /** owner; default: the caller */
  user_id?: string | undefined;
  /** expiry of its token */
  expires_at?: string | undefined;
}

export interface NewBulkCollectJob extends NewCollectJob {
  /** a repeated request with the same key returns the first job */
  idempotency_key?: string | undefined;
}

export interface NewBulkCrawlJob extends NewCrawlJob {
  /** a repeated request with the same key returns the first job */
  idempotency_key?: string | undefined;
}

export type NewBulkJob = NewBulkCrawlJob | NewBulkVisitJob | NewBulkCollectJob;

export interface NewBulkVisitJob extends NewVisitJob {
  /** a repeated request with the same key returns the first job */
  idempotency_key?: string | undefined;
}

export interface NewCollectJob extends NewJobFields {
  kind: 'collect';
  payload: CollectPayload;
}

export interface NewCrawlJob extends NewJobFields {
  kind: 'crawl';
  payload: CrawlPayload;
}

export interface NewCrawlPolicy extends NewPolicyFields {
  kind: 'crawl';
  /** Default: {} */
  options?: CrawlOptions | undefined;
}

export interface NewIntake {
  /** description in the words of a listing */
  title?: string | null | undefined;
  /** what distinguishes the item, such as year, mintmark, denomination and series of a coin. Default: {} */
  attributes?: Record<string, string | number | boolean> | undefined;
  /** attributes that a listing must match; null: year, mintmark, denomination and grade */
  must_agree?: string[] | null | undefined;
  /** currency of its valuation; null: that of most price points */
  currency?: string | null | undefined;
  /** Default: [] */
  tags?: string[] | undefined;
  /** your own id; an import with the same reference updates the intake */
  reference?: string | null | undefined;
}

export type NewJob = NewCrawlJob | NewVisitJob | NewCollectJob;

export interface NewJobFields {
  /** higher runs first. Default: 0 */
  priority?: number | undefined;
  /** earliest start */
  run_at?: string | undefined;
  /** unique among the owner's live jobs */
  dedupe_key?: string | undefined;
  /** Default: 3 */
  max_retries?: number | undefined;
  /** doubles with every retry, up to 24 h. Default: 300 */
  retry_backoff_seconds?: number | undefined;
  /** hard deadline of one run */
  timeout_seconds?: number | undefined;
  /** lease of a bot; default: timeout_seconds, otherwise 600 */
  lock_ttl_seconds?: number | undefined;
  /** collect: the source to query; otherwise a reference of your own */
  source_id?: string | undefined;
}

export type NewPolicy = NewCrawlPolicy | NewVisitPolicy;

export interface NewPolicyFields {
  /** start URL; unique per owner and kind */
  url: string;
  /** hours from a successful run to the next. Default: 24 */
  frequency_hours?: number | undefined;
  /** priority of its jobs; higher runs first. Default: 0 */
  priority?: number | undefined;
  /** lease of a bot that pulls its visit. Default: 600 */
  lock_ttl_seconds?: number | undefined;
  /** Default: 3 */
  max_retries?: number | undefined;
  /** delay after a failure; doubles with every further failure, up to 24 h. Default: 5 */
  retry_backoff_minutes?: number | undefined;
  /** hard deadline of one run; default: 10 for a visit, none for a crawl */
  timeout_minutes?: number | null | undefined;
  /** Default: true */
  enabled?: boolean | undefined;
  /** next run; at once if in the past */
  next_run_at?: string | undefined;
}

export interface NewPricePoint {
  price: string;
  currency: string;
  /** Default: "sold" */
  price_type?: 'sold' | 'ask' | 'bid' | undefined;
  title?: string | null | undefined;
  url?: string | null | undefined;
  /** date of the listing or sale */
  date?: string | null | undefined;
  external_id?: string | null | undefined;
  /** default: computed from the title */
  match_strength?: string | null | undefined;
  attributes?: Record<string, string | number | boolean> | null | undefined;
}

export interface NewVisitJob extends NewJobFields {
  kind: 'visit';
  payload: VisitPayload;
  /** Holdfast's runners, or a bot. Default: "builtin" */
  executor?: Executor | undefined;
}

export interface NewVisitPolicy extends NewPolicyFields {
  kind: 'visit';
  /** who runs its visits. Default: "builtin" */
  executor?: Executor | undefined;
  /** Default: {} */
  options?: VisitOptions | undefined;
}

export interface NewWebhook {
  /** URL that receives deliveries as POST requests; redirects are not followed */
  url: string;
  /** events it receives. Default: ["job.completed","job.failed","job.cancelled","job.expired","price.changed"] */
  events?:
    | Array<
        | 'job.started'
        | 'job.paused'
        | 'job.retrying'
        | 'job.completed'
        | 'job.failed'
        | 'job.cancelled'
        | 'job.expired'
        | 'price.changed'
        | 'page.new'
        | 'page.changed'
        | 'page.gone'
        | 'page.failed'
      >
    | undefined;
  /** free text. Default: null */
  description?: string | null | undefined;
}

/** One page of a list. Go on while next_cursor is not null, however short the page is. */
export interface Page<Item> {
  data: Item[];
  /** `cursor` of the next page; null at the end */
  next_cursor: string | null;
}

export type PageAction =
  | PageWaitAction
  | PageClickAction
  | PageTypeAction
  | PagePressAction
  | PageScrollAction
  | PageEvaluateAction;

export type PageChange = 'new' | 'changed' | 'unchanged' | 'gone';

export interface PageClickAction {
  type: 'click';
  /** CSS selector */
  selector: string;
  /** if the element is missing, skip the action after 3 seconds instead of failing the page */
  optional?: boolean | undefined;
}

export interface PageDiff {
  job_id: string;
  url: string;
  change: PageChange;
  /** baseline job of the comparison */
  baseline: string;
  /** unified diff of the markdown, below a changed title or headline; empty: unchanged */
  diff: string;
}

export interface PageErrors {
  data: Array<{
    outcome: 'failed' | 'skipped';
    reason: string;
    count: number;
    /** false: the list is incomplete */
    exact: boolean;
    samples: Array<{
      url_hash: string;
      url: string;
      status: number | null;
      message: string | null;
      fetched_at: string;
    }>;
  }>;
  /** whether there are more reasons than listed */
  more: boolean;
}

export interface PageEvaluateAction {
  type: 'evaluate';
  /** JavaScript to run in the page; who may use it: HOLDFAST_EVALUATE */
  script: string;
}

export type PageOutcome = 'fetched' | 'failed' | 'skipped' | 'redirected';

export interface PagePressAction {
  type: 'press';
  /** such as Enter or ArrowDown */
  key: string;
}

/** Which page of a list. */
export interface PageQuery {
  /** maximum number of entries */
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface PageScrollAction {
  type: 'scroll';
  /** Default: "down" */
  direction?: 'up' | 'down' | undefined;
  /** pixels; default: 800 */
  amount?: number | undefined;
}

export interface PageTypeAction {
  type: 'type';
  /** CSS selector */
  selector: string;
  text: string;
  /** if the element is missing, skip the action after 3 seconds instead of failing the page */
  optional?: boolean | undefined;
}

export interface PageWaitAction {
  type: 'wait';
  milliseconds?: number | undefined;
  /** CSS selector */
  selector?: string | undefined;
  /** if the element is missing, skip the action after 3 seconds instead of failing the page */
  optional?: boolean | undefined;
}

export interface Policy {
  id: string;
  user_id: string;
  kind: 'crawl' | 'visit';
  url: string;
  executor: Executor;
  options: Record<string, unknown>;
  frequency_hours: number;
  priority: number;
  lock_ttl_seconds: number;
  max_retries: number;
  retry_backoff_minutes: number;
  timeout_minutes: number | null;
  enabled: boolean;
  /** when its next job is created; set again when its live job ends */
  next_run_at: string;
  last_success_at: string | null;
  last_failed_at: string | null;
  /** final failures since the last success */
  failure_count: number;
  /** its unfinished job; no other is created meanwhile */
  live_job_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface PolicyChange {
  /** start URL; unique per owner and kind */
  url?: string | undefined;
  /** who runs its visits */
  executor?: Executor | undefined;
  /** hours from a successful run to the next */
  frequency_hours?: number | undefined;
  /** priority of its jobs; higher runs first */
  priority?: number | undefined;
  /** lease of a bot that pulls its visit */
  lock_ttl_seconds?: number | undefined;
  max_retries?: number | undefined;
  /** delay after a failure; doubles with every further failure, up to 24 h */
  retry_backoff_minutes?: number | undefined;
  /** hard deadline of one run; default: 10 for a visit, none for a crawl */
  timeout_minutes?: number | null | undefined;
  enabled?: boolean | undefined;
  /** further payload fields of its jobs, such as max_depth */
  options?: Record<string, unknown> | undefined;
  /** next run; at once if in the past */
  next_run_at?: string | undefined;
}

export interface PriceChange {
  result_id: string;
  job_id: string;
  policy_id: string | null;
  user_id: string;
  url: string;
  previous_result_id: string;
  previous_price: string;
  previous_currency: string;
  price: string;
  currency: string;
  changed_at: string;
}

export interface PriceDifference {
  previous_result_id: string;
  previous_price: string;
  previous_currency: string;
}

export interface PricePoint extends ListedPricePoint {
  listing_attributes: Record<string, unknown> | null;
  /** the listing as returned by the source */
  raw: unknown;
}

export interface PricePointImport {
  /** a source with the adapter `import` */
  source_id: string;
  price_points?: NewPricePoint[] | undefined;
  /** CSV with a header row: price, currency, price_type, title, url, date … */
  csv?: string | undefined;
}

export interface Profile {
  id: string;
  name: string | null;
  /** owner; no one else can use it */
  user_id: string;
  /** the only origins that its values are sent to */
  origins: string[];
  /** names of its headers */
  headers: string[];
  auth: 'basic' | 'bearer' | null;
  /** its cookies, without their values */
  cookies: Array<{
    name: string;
    domain: string;
    /** seconds since 1970, as stored; null: a session cookie */
    expires: number | null;
  }>;
  /** the proxy of jobs that use it; null: theirs */
  proxy: string | null;
  created_at: string;
  /** when its values were last set */
  updated_at: string;
  /** accurate to a minute */
  last_used_at: string | null;
}

export interface ProfileCookie {
  name: string;
  value: string;
  /** example.com: this host only; .example.com: also its subdomains */
  domain: string;
  /** Default: "/" */
  path?: string | undefined;
  /** seconds since 1970; -1 or absent: until the browser is closed */
  expires?: number | undefined;
  httpOnly?: boolean | undefined;
  secure?: boolean | undefined;
  sameSite?: 'Strict' | 'Lax' | 'None' | undefined;
}

export interface ProfileReplacement {
  /** the only origins that it is sent to, such as https://example.com or https://*.example.com */
  origins: string[];
  headers?: Record<string, string> | undefined;
  basic_auth?: BasicAuth | undefined;
  bearer_token?: string | undefined;
  cookies?: ProfileCookie[] | undefined;
  /** a cookies.txt file in Netscape format, as browser extensions and curl write it */
  cookies_txt?: string | undefined;
  /** the storageState of Playwright; only its cookies are used */
  storage_state?: StorageState | undefined;
  /** name of the proxy for jobs with this profile, unless they name one themselves; direct: none */
  proxy?: string | undefined;
}

export interface ProfileRequest extends ProfileReplacement {
  /** name by which crawls, visits, policies and adapters refer to it */
  name: string;
}

export interface ProxyPool {
  name: string;
  rotation: 'round_robin' | 'sticky';
  resolves_names: boolean;
  cooldown_seconds: number;
  servers: ProxyServer[];
  /** ids of the sources that use it */
  sources: string[];
  /** null: set by HOLDFAST_PROXY */
  created_at: string | null;
  updated_at: string | null;
}

export interface ProxyServer {
  /** its name on pages and in logs: eu, or eu#2 for the second of a list */
  server: string;
  /** scheme, host and port */
  address: string;
  state: 'unused' | 'ok' | 'failing' | 'resting';
  requests: number;
  failures: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  /** null after the next success */
  last_failure: string | null;
  /** paused until this time */
  rests_until: string | null;
}

export interface ProxySettings {
  /** http://, https://, socks5:// or socks5h:// URLs with user name and password; encrypted, never shown again */
  urls?: string[] | undefined;
  /** round_robin: the next server for every request; sticky: the same server for all requests to a host */
  rotation?: 'round_robin' | 'sticky' | undefined;
  /** true: the proxy resolves host names, so addresses are not checked; false: Holdfast resolves and checks them */
  resolves_names?: boolean | undefined;
  /** how long a server is paused after failures; doubled each time, up to 16 times as long */
  cooldown_seconds?: number | undefined;
}

export interface PullAnswer {
  success: true;
  data: {
    jobs: Array<{
      job_id: string;
      url: string;
      priority: number;
      max_retries: number;
      timeout_seconds: number;
      retry_count: number;
      /** UTC, in whole seconds */
      locked_until: string;
      /** identifies this lock; send it with submit and heartbeat */
      lease_token: string;
    }>;
    count: number;
    /** matching jobs that other bots hold, counted up to 1,000 */
    skipped: number;
  };
}

export interface PullRequest {
  /** name of the calling bot; must match if the key belongs to a bot */
  bot_id: string;
  /** default 10 */
  max_jobs?: number | null | undefined;
  /** only jobs of this host and its subdomains */
  domain?: string | null | undefined;
  /** or the header Idempotency-Key; a repeated pull returns the same jobs */
  idempotency_key?: string | null | undefined;
}

export interface RanPolicy extends Policy {
  /** due: its job is created at once; live_job_exists: see live_job_id */
  outcome: 'due' | 'live_job_exists';
}

export interface ReplayAnswer {
  /** number of deliveries to be sent again */
  replayed: number;
  /** set if time ran out: repeat the request with it as `cursor` */
  next_cursor: string | null;
}

export interface Result extends ListedResult {
  /** other data extracted from the page */
  parsed_data: unknown;
}

export interface ShowBotQuery {
  /** owner, for keys that see all owners; default: the caller */
  user_id?: string | undefined;
}

export interface ShowFrontierQuery {
  /** maximum number of hosts */
  limit?: number | undefined;
}

export interface ShowStatsQuery {
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
}

export interface ShownJob extends ListedJob {
  /** counters of a crawl; null until it has started */
  crawl: CrawlCounters | null;
  /** set if its runner died before the first request; no retry is used, and the job continues by itself */
  failed_start: {
    /** the worker on which the start failed */
    worker_id: string;
    /** number of failed starts since the last saved page */
    count: number;
  } | null;
}

export interface ShownPage extends ListedPage {
  /** url_hash of the first page that linked to it */
  parent: string | null;
  /** from its rel=canonical */
  canonical_url: string | null;
  content_hash: string | null;
  etag: string | null;
  last_modified: string | null;
  description: string | null;
  /** headings, OpenGraph, product data from JSON-LD and microdata, images, what a document says about itself, and `visibleWords` if the markdown has fewer */
  structured: Record<string, unknown> | null;
  links: string[];
  /** the main content; null if there is none */
  markdown: string | null;
  /** fields too large for this response; markdown can be downloaded */
  omitted: Array<'markdown' | 'links'>;
  /** whether HTML was stored and can be downloaded; for a rendered page, the HTML after its scripts ran */
  has_html: boolean;
  /** whether a screenshot was stored and can be downloaded */
  has_screenshot: boolean;
}

export interface ShownWebhook extends Webhook {
  /** counts; above 10,000 a lower bound */
  deliveries: { pending: number; dead: number };
  /** next attempt; null if nothing waits or the webhook is disabled */
  next_attempt_at: string | null;
}

export interface ShownWebhookDelivery extends WebhookDelivery {
  /** body of the request */
  payload: Record<string, unknown>;
}

export interface Source {
  id: string;
  name: string;
  hosts: string[];
  /** false: created automatically for a new host */
  configured: boolean;
  enabled: boolean;
  adapter_type: string | null;
  /** null: not visible to this key */
  config: Record<string, unknown> | null;
  rate_limit_per_minute: number | null;
  concurrency: number;
  min_delay_ms: number;
  /** Crawl-delay from robots.txt */
  crawl_delay_ms: number | null;
  /** null: that of the job, or HOLDFAST_PROXY; direct: no proxy */
  proxy: string | null;
  reputation_weight: number;
  tier: number;
  /** for jobs whose render is auto; null: auto */
  render: 'never' | 'auto' | 'always' | null;
  /** consecutive failures of visits and collections, and failed connections of crawls */
  failure_streak: number;
  /** consecutive failed URLs of crawls, each counted once */
  failed_urls: number;
  /** accurate to half a minute */
  last_success_at: string | null;
  last_failure_at: string | null;
  /** whether requests are blocked now */
  paused: boolean;
  /** null while paused: an operator must resume or enable it */
  paused_until: string | null;
  pause_reason: 'operator' | 'failures' | 'retry_after' | null;
  breaker: 'closed' | 'open' | 'half_open';
  /** error code if a host is unreachable: dns_failed, tls_failed; null after the next good response */
  trouble: string | null;
  /** the unreachable host */
  trouble_host: string | null;
  trouble_since: string | null;
  /** factor by which concurrency is reduced because responses are slower; 1: not reduced */
  slowdown: number;
  /** maximum requests per minute because it refused more; null: only its limits apply */
  pace_per_minute: number | null;
  /** share of refused or failed responses that lowered its pace */
  slowed_share: number | null;
  /** number of responses behind that share */
  slowed_answers: number | null;
  created_at: string;
}

export interface SourcePreferences {
  data: Array<{
    origin: string;
    kind: 'content-signal' | 'content-usage' | 'license';
    /** crawlers it addresses; *: all. Empty for a licence */
    agents: string[];
    /** where it applies; default: everywhere */
    path?: string | undefined;
    /** as written, such as `search=yes, ai-input=no` */
    value: string;
    read_at: string;
  }>;
}

export interface SourceSettings {
  name?: string | undefined;
  /** exact hosts, or *.example.com for all subdomains */
  hosts?: string[] | undefined;
  enabled?: boolean | undefined;
  /** how prices are queried; null: not at all */
  adapter_type?: 'json' | 'html' | 'import' | 'module' | null | undefined;
  /** configuration of the adapter; visible to operators only */
  config?: Record<string, unknown> | undefined;
  /** null: no limit */
  rate_limit_per_minute?: number | null | undefined;
  /** concurrent requests over all workers */
  concurrency?: number | undefined;
  /** delay between requests, over all workers */
  min_delay_ms?: number | undefined;
  /** name of the proxy for its hosts; direct: no proxy; null: that of the job, or HOLDFAST_PROXY */
  proxy?: string | null | undefined;
  reputation_weight?: number | undefined;
  tier?: number | undefined;
  /** whether its pages run in a browser, for jobs whose render is auto; null: auto */
  render?: 'never' | 'auto' | 'always' | null | undefined;
}

export interface Stats {
  /** time of these statistics; refreshed every few seconds */
  at: string;
  /** owner of these jobs; null: all */
  user_id: string | null;
  jobs: Array<{
    status: JobStatus;
    kind: JobKind;
    count: number;
    /** at_least: a lower bound; estimate: from the database's statistics */
    precision: 'exact' | 'at_least' | 'estimate';
  }>;
  /** URLs found and not yet crawled, over all running crawls */
  pending_pages: number;
  throughput: {
    /** the last hour, oldest first */
    minutes: Array<{
      minute: string;
      created: number;
      started: number;
      completed: number;
      /** failed or expired */
      failed: number;
      /** failed runs that are retried */
      retried: number;
      /** change in the number of unfinished jobs */
      more: number;
      /** estimate: only part of the minute was counted */
      precision: 'exact' | 'at_least' | 'estimate';
    }>;
    /** false: too many events to count; older minutes are missing */
    complete: boolean;
  };
  retries: {
    data: Array<{ retry_count: number; count: number }>;
    /** false: based on part of the live jobs */
    exact: boolean;
  };
  stuck: {
    count: number;
    /** at_least: a lower bound; estimate: from the database's statistics */
    precision: 'exact' | 'at_least' | 'estimate';
    /** longest overdue first */
    data: StatsJob[];
  };
  recent_jobs: StatsJob[];
  workers: {
    alive: number;
    /** workers that stopped claiming because their runners die before their first request */
    sick: number;
    draining: number;
    silent: number;
    running_jobs: number;
    max_jobs: number;
    in_trouble: Worker[];
  };
  sources: { blocked: Count; in_trouble: Source[] };
  policies: {
    enabled: Count;
    disabled: Count;
    due: Count;
    /** enabled policies whose last run failed */
    failing: Count;
  };
  bots: {
    /** bots seen in the last hour */
    active: number;
    total: number;
    /** success rate of the last 24 hours, 0 to 1 */
    success_rate: number | null;
    /** the last 24 hours, oldest first */
    hours: Array<{
      hour: string;
      pulls: number;
      jobs_pulled: number;
      jobs_succeeded: number;
      jobs_failed: number;
    }>;
  };
}

export interface StatsJob {
  id: string;
  kind: JobKind;
  url: string | null;
  /** title of the item whose prices are collected */
  title: string | null;
  source_id: string | null;
  status: JobStatus;
  progress_percentage: number;
  worker_id: string | null;
  error_code: string | null;
  user_id: string;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
  lease_expires_at: string | null;
}

export interface StorageState {
  cookies: ProfileCookie[];
}

export interface StreamEventsQuery {
  kind?: JobKind | undefined;
  /** only events that led to one of these statuses */
  status?: JobStatus[] | undefined;
  job?: string | undefined;
  /** owner; for keys that see all owners */
  user_id?: string | undefined;
  /** same as the header Last-Event-ID, which takes precedence */
  last_event_id?: string | undefined;
}

export interface StreamJobQuery {
  /** same as the header Last-Event-ID, which takes precedence */
  last_event_id?: string | undefined;
}

export interface SubmitAnswer {
  success: true;
  data: SubmitOutcome;
}

export interface SubmitBatchAnswer {
  success: true;
  data: {
    items: Array<
      | {
          success: true;
          /** HTTP status that a single submit would have */
          status_code: number;
          data: SubmitOutcome;
        }
      | {
          success: false;
          error:
            | 'validation_error'
            | 'authentication_error'
            | 'job_not_found'
            | 'job_not_locked'
            | 'not_assigned'
            | 'lock_expired'
            | 'rate_limited'
            | 'route_not_found'
            | 'method_not_allowed'
            | 'internal_error';
          detail: string;
          /** HTTP status that a single submit would have */
          status_code: number;
        }
    >;
    accepted: number;
    refused: number;
  };
}

export interface SubmitBatchRequest {
  /** name of the calling bot; must match if the key belongs to a bot */
  bot_id: string;
  /** submits without bot_id; processed separately, answered in order */
  items: unknown[];
}

export type SubmitOutcome =
  | {
      result_id: string;
      job_id: string;
      status: 'done';
      price: number;
      currency: string;
      policy_next_run: string | null;
    }
  | {
      job_id: string;
      status: 'pending' | 'failed' | 'paused' | 'cancelled';
      retry_count: number;
      max_retries: number;
      error?: string | undefined;
      message: string;
    };

export interface SubmitRequest {
  /** name of the calling bot; must match if the key belongs to a bot */
  bot_id: string;
  job_id: string;
  /** from the pull; without it, only bot_id is checked */
  lease_token?: string | null | undefined;
  success: boolean;
  /** required on success */
  price?: number | null | undefined;
  /** required on success */
  currency?: string | null | undefined;
  title?: string | null | undefined;
  in_stock?: boolean | null | undefined;
  /** any JSON, up to a million characters */
  parsed_data?: unknown | undefined;
  raw_html?: string | null | undefined;
  /** on failure; the first 2,000 characters are stored */
  error_msg?: string | null | undefined;
}

export type Transition =
  | 'enqueue'
  | 'claim'
  | 'complete'
  | 'retryLater'
  | 'retryNow'
  | 'fail'
  | 'release'
  | 'crash'
  | 'failStart'
  | 'recover'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'expire'
  | 'resetLock'
  | 'retry'
  | 'retryUrls'
  | 'runNow';

export type UserAction = 'runNow' | 'pause' | 'resume' | 'cancel' | 'retry' | 'resetLock' | 'expire';

export interface Valuation {
  intake_id: string;
  currency: string;
  /** decimal text */
  p10: string;
  /** decimal text */
  p20: string;
  /** decimal text */
  p40: string;
  /** decimal text */
  median: string;
  /** decimal text */
  p60: string;
  /** decimal text */
  p80: string;
  /** decimal text */
  p90: string;
  /** decimal text */
  mean: string;
  /** prices that the valuation is based on */
  comparables: number;
  sources: number;
  sold: number;
  ask: number;
  /** excluded: far from the others */
  outliers: number;
  /** excluded: in another currency */
  other_currencies: number;
  /** excluded: bids, listings of other items, asks if there are enough sales */
  not_used: number;
  confidence: number;
  /** what raised or lowered the confidence */
  reasons: Array<{ points: number; text: string }>;
  valued_at: string;
}

export interface VisitOptions {
  /** render pages in a browser: never, always, or auto (only those that need JavaScript; a source may decide otherwise). Default: "auto" */
  render?: 'never' | 'auto' | 'always' | undefined;
  /** in rendered pages, wait for this CSS selector or number of milliseconds */
  wait_for?: number | string | undefined;
  /** actions to perform in every rendered page before it is read; renders all pages */
  actions?: PageAction[] | undefined;
  /** let rendered pages load images, fonts, media and trackers. Default: false */
  load_media?: boolean | undefined;
  /** name of a profile of the owner: headers and cookies for its origins */
  profile?: string | undefined;
  /** profile created for the headers of this request; set by Holdfast */
  unnamed_profile?: string | undefined;
  /** Accept-Language header, such as de, en;q=0.5 */
  accept_language?: string | undefined;
  /** extra headers; headers that may be secret are encrypted and sent only to the origins of the URLs */
  headers?: Record<string, string> | undefined;
  /** user name and password; encrypted, sent only to the origins of the URLs */
  basic_auth?: BasicAuth | undefined;
  /** encrypted, sent only to the origins of the URLs */
  bearer_token?: string | undefined;
  /** your own data, stored with the job */
  metadata?: Record<string, unknown> | undefined;
}

export interface VisitPayload extends VisitOptions {
  url: string;
}

export interface Waiting {
  /** what the job waits for */
  reason: 'schedule' | 'retry' | 'host' | 'source' | 'origin' | 'worker' | 'bot';
  /** description of the wait */
  text: string;
  /** when it continues by itself; null: only what `ends` names ends the wait */
  until: string | null;
  /** what ends the wait, and how to end it early */
  ends: string;
  /** for the reasons host and source: why the host allows no request */
  cause: 'operator' | 'disabled' | 'failures' | 'retry_after' | 'limit' | 'robots' | 'proxy' | 'tries' | null;
  /** for the reasons host and source: the host it waits for */
  host: string | null;
  /** for the reasons host and source: the source of that host */
  source_id: string | null;
}

export interface Webhook {
  id: string;
  user_id: string;
  url: string;
  description: string | null;
  events: Array<
    | 'job.started'
    | 'job.paused'
    | 'job.retrying'
    | 'job.completed'
    | 'job.failed'
    | 'job.cancelled'
    | 'job.expired'
    | 'price.changed'
    | 'page.new'
    | 'page.changed'
    | 'page.gone'
    | 'page.failed'
  >;
  enabled: boolean;
  /** why it is disabled */
  disabled_reason: string | null;
  /** first failure since its last accepted delivery */
  failing_since: string | null;
  /** until then, deliveries are also signed with the previous secret */
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
}

export interface WebhookChange {
  /** URL that receives deliveries as POST requests; redirects are not followed */
  url?: string | undefined;
  /** events it receives */
  events?:
    | Array<
        | 'job.started'
        | 'job.paused'
        | 'job.retrying'
        | 'job.completed'
        | 'job.failed'
        | 'job.cancelled'
        | 'job.expired'
        | 'price.changed'
        | 'page.new'
        | 'page.changed'
        | 'page.gone'
        | 'page.failed'
      >
    | undefined;
  /** free text */
  description?: string | null | undefined;
  enabled?: boolean | undefined;
}

export interface WebhookDelivery {
  /** the webhook-id is `msg_` plus this id, for every attempt */
  id: string;
  webhook_id: string;
  event:
    | 'job.started'
    | 'job.paused'
    | 'job.retrying'
    | 'job.completed'
    | 'job.failed'
    | 'job.cancelled'
    | 'job.expired'
    | 'price.changed'
    | 'page.new'
    | 'page.changed'
    | 'page.gone'
    | 'page.failed'
    | 'webhook.test';
  /** pending: to be sent; dead: no attempts left */
  status: 'pending' | 'delivered' | 'dead';
  attempts: number;
  created_at: string;
  /** may be later if the webhook fails; null if there is none or the webhook is disabled */
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  /** HTTP status of the last response */
  last_status: number | null;
  /** why the last attempt failed */
  last_error: string | null;
  delivered_at: string | null;
}

export interface Worker {
  id: string;
  state: 'alive' | 'sick' | 'draining' | 'silent';
  /** why it stopped claiming jobs; null: it did not, or not visible to this key */
  trouble: string | null;
  /** null: not visible to this key */
  host: string | null;
  pid: number | null;
  version: string;
  /** the browser that renders its pages; null: none, or not visible to this key */
  browser: string | null;
  /** why it cannot render pages; null: it can, or it is not visible */
  browser_problem: string | null;
  max_jobs: number;
  running_jobs: number;
  started_at: string;
  last_seen: string;
}

/** What each operation takes and answers. */
export interface Calls {
  bulkActOnJobs: {
    path: Record<string, never>;
    query: undefined;
    body: BulkActOnJobsBody;
    answer: BulkAnswer;
  };
  bulkCreateJobs: {
    path: Record<string, never>;
    query: undefined;
    body: BulkCreateJobsBody;
    answer: BulkCreateJobsAnswer;
  };
  cancelJob: {
    path: { id: string };
    query: undefined;
    body: ActionRequest | null | undefined;
    answer: Job;
  };
  changeBot: {
    path: { bot_id: string };
    query: ChangeBotQuery;
    body: BotChange;
    answer: Bot;
  };
  changeIntake: {
    path: { id: string };
    query: undefined;
    body: IntakeChange;
    answer: Intake;
  };
  changePolicy: {
    path: { id: string };
    query: undefined;
    body: PolicyChange;
    answer: Policy;
  };
  changeSource: {
    path: { id: string };
    query: undefined;
    body: SourceSettings;
    answer: Source;
  };
  changeWebhook: {
    path: { id: string };
    query: undefined;
    body: WebhookChange;
    answer: Webhook;
  };
  configureSource: {
    path: { id: string };
    query: undefined;
    body: SourceSettings;
    answer: Source;
  };
  createBot: {
    path: Record<string, never>;
    query: undefined;
    body: NewBot;
    answer: CreatedBot;
  };
  createIntake: {
    path: Record<string, never>;
    query: undefined;
    body: NewIntake;
    answer: Intake;
  };
  createJob: {
    path: Record<string, never>;
    query: undefined;
    body: NewJob;
    answer: CreatedJob;
  };
  createKey: {
    path: Record<string, never>;
    query: undefined;
    body: CreateKeyBody;
    answer: CreatedKey;
  };
  createPolicy: {
    path: Record<string, never>;
    query: undefined;
    body: NewPolicy;
    answer: Policy;
  };
  createProfile: {
    path: Record<string, never>;
    query: undefined;
    body: ProfileRequest;
    answer: Profile;
  };
  createWebhook: {
    path: Record<string, never>;
    query: undefined;
    body: NewWebhook;
    answer: CreatedWebhook;
  };
  deleteIntake: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Intake;
  };
  deleteJob: {
    path: { id: string };
    query: DeleteJobQuery;
    body: undefined;
    answer: DeletedJob;
  };
  deletePolicy: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Policy;
  };
  deletePricePoint: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: ListedPricePoint;
  };
  deleteProfile: {
    path: { name: string };
    query: undefined;
    body: undefined;
    answer: Profile;
  };
  deleteProxy: {
    path: { name: string };
    query: undefined;
    body: undefined;
    answer: ProxyPool;
  };
  deleteWebhook: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Webhook;
  };
  diffPage: {
    path: { id: string; hash: string };
    query: undefined;
    body: undefined;
    answer: PageDiff;
  };
  disablePolicy: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Policy;
  };
  disableWebhook: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Webhook;
  };
  downloadPageHtml: {
    path: { id: string; hash: string };
    query: undefined;
    body: undefined;
    answer: string;
  };
  downloadPageMarkdown: {
    path: { id: string; hash: string };
    query: undefined;
    body: undefined;
    answer: string;
  };
  downloadPageScreenshot: {
    path: { id: string; hash: string };
    query: undefined;
    body: undefined;
    answer: string;
  };
  downloadRawResult: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: string;
  };
  enablePolicy: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Policy;
  };
  enableWebhook: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Webhook;
  };
  enqueueIntake: {
    path: { id: string };
    query: undefined;
    body:
      | {
          /** ids; default: every enabled source with an adapter */
          sources?: string[] | undefined;
          /** seconds between the starts of two jobs. Default: 1 */
          stagger_seconds?: number | undefined;
          /** Default: 0 */
          priority?: number | undefined;
        }
      | null
      | undefined;
    answer: EnqueueIntakeAnswer;
  };
  enqueueIntakes: {
    path: Record<string, never>;
    query: undefined;
    body: EnqueueIntakesBody;
    answer: EnqueueIntakesAnswer;
  };
  expireJob: {
    path: { id: string };
    query: undefined;
    body: ActionRequest | null | undefined;
    answer: Job;
  };
  exportPages: {
    path: { id: string };
    query: ExportPagesQuery;
    body: undefined;
    answer: string;
  };
  extendLock: {
    path: Record<string, never>;
    query: undefined;
    body: HeartbeatRequest;
    answer: HeartbeatAnswer;
  };
  getIdentity: {
    path: Record<string, never>;
    query: undefined;
    body: undefined;
    answer: CrawlerIdentity;
  };
  importIntakes: {
    path: Record<string, never>;
    query: undefined;
    body: IntakeImport;
    answer: ImportIntakesAnswer;
  };
  importPricePoints: {
    path: { id: string };
    query: undefined;
    body: PricePointImport;
    answer: ImportedPricePoints;
  };
  listAllPages: {
    path: Record<string, never>;
    query: ListAllPagesQuery;
    body: undefined;
    answer: Page<ListedPage>;
  };
  listBots: {
    path: Record<string, never>;
    query: ListBotsQuery;
    body: undefined;
    answer: Page<Bot>;
  };
  listErrors: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: PageErrors;
  };
  listEvents: {
    path: { id: string };
    query: ListEventsQuery;
    body: undefined;
    answer: Page<JobEvent>;
  };
  listIntakes: {
    path: Record<string, never>;
    query: ListIntakesQuery;
    body: undefined;
    answer: Page<ListedIntake>;
  };
  listJobs: {
    path: Record<string, never>;
    query: ListJobsQuery;
    body: undefined;
    answer: Page<ListedJob>;
  };
  listKeys: {
    path: Record<string, never>;
    query: ListKeysQuery;
    body: undefined;
    answer: Page<Key>;
  };
  listPages: {
    path: { id: string };
    query: ListPagesQuery;
    body: undefined;
    answer: Page<ListedPage>;
  };
  listPolicies: {
    path: Record<string, never>;
    query: ListPoliciesQuery;
    body: undefined;
    answer: Page<Policy>;
  };
  listPriceChanges: {
    path: Record<string, never>;
    query: ListPriceChangesQuery;
    body: undefined;
    answer: Page<PriceChange>;
  };
  listPriceHistory: {
    path: Record<string, never>;
    query: ListPriceHistoryQuery;
    body: undefined;
    answer: Page<HistoricPrice>;
  };
  listPricePoints: {
    path: Record<string, never>;
    query: ListPricePointsQuery;
    body: undefined;
    answer: Page<ListedPricePoint>;
  };
  listProfiles: {
    path: Record<string, never>;
    query: ListProfilesQuery;
    body: undefined;
    answer: Page<Profile>;
  };
  listProxies: {
    path: Record<string, never>;
    query: ListProxiesQuery;
    body: undefined;
    answer: Page<ProxyPool>;
  };
  listResults: {
    path: Record<string, never>;
    query: ListResultsQuery;
    body: undefined;
    answer: Page<ListedResult>;
  };
  listSourcePreferences: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: SourcePreferences;
  };
  listSources: {
    path: Record<string, never>;
    query: ListSourcesQuery;
    body: undefined;
    answer: Page<Source>;
  };
  listValuationHistory: {
    path: { intake_id: string };
    query: ListValuationHistoryQuery;
    body: undefined;
    answer: Page<HistoricValuation>;
  };
  listValuations: {
    path: Record<string, never>;
    query: ListValuationsQuery;
    body: undefined;
    answer: Page<Valuation>;
  };
  listWebhookDeliveries: {
    path: { id: string };
    query: ListWebhookDeliveriesQuery;
    body: undefined;
    answer: Page<WebhookDelivery>;
  };
  listWebhooks: {
    path: Record<string, never>;
    query: ListWebhooksQuery;
    body: undefined;
    answer: Page<Webhook>;
  };
  listWorkers: {
    path: Record<string, never>;
    query: ListWorkersQuery;
    body: undefined;
    answer: Page<Worker>;
  };
  pauseJob: {
    path: { id: string };
    query: undefined;
    body: ActionRequest | null | undefined;
    answer: Job;
  };
  pauseSource: {
    path: { id: string };
    query: undefined;
    body:
      | {
          /** default: until it is resumed */
          seconds?: number | undefined;
        }
      | null
      | undefined;
    answer: Source;
  };
  pullJobs: {
    path: Record<string, never>;
    query: undefined;
    body: PullRequest;
    answer: PullAnswer;
  };
  putProxy: {
    path: { name: string };
    query: undefined;
    body: ProxySettings;
    answer: ProxyPool;
  };
  replaceProfile: {
    path: { name: string };
    query: undefined;
    body: ProfileReplacement;
    answer: Profile;
  };
  replayWebhook: {
    path: { id: string };
    query: undefined;
    body:
      | {
          /** any also replays delivered ones and requires `since`. Default: "dead" */
          status?: 'dead' | 'any' | undefined;
          /** only deliveries of events since then */
          since?: string | undefined;
          /** next_cursor of a response that ran out of time */
          cursor?: string | undefined;
        }
      | null
      | undefined;
    answer: ReplayAnswer;
  };
  replayWebhookDelivery: {
    path: { id: string; delivery_id: string };
    query: undefined;
    body: undefined;
    answer: WebhookDelivery;
  };
  resetLockJob: {
    path: { id: string };
    query: undefined;
    body: ActionRequest | null | undefined;
    answer: Job;
  };
  resumeJob: {
    path: { id: string };
    query: undefined;
    body: ActionRequest | null | undefined;
    answer: Job;
  };
  resumeSource: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Source;
  };
  retryJob: {
    path: { id: string };
    query: undefined;
    body:
      | {
          /** reason, stored in the timeline */
          reason?: string | undefined;
          /** start over instead of continuing from the checkpoint. Default: false */
          afresh?: boolean | undefined;
        }
      | null
      | undefined;
    answer: Job;
  };
  retryJobUrls: {
    path: { id: string };
    query: undefined;
    body:
      | {
          /** url_hash of the pages; default: all */
          hashes?: string[] | undefined;
          /** error codes of failed pages or reasons of skipped pages; default: all */
          reasons?: string[] | undefined;
        }
      | null
      | undefined;
    answer: Job;
  };
  revokeKey: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Key;
  };
  rotateWebhookSecret: {
    path: { id: string };
    query: undefined;
    body:
      | {
          /** how long the old secret also signs; 0 if it has leaked. Default: 24 */
          overlap_hours?: number | undefined;
        }
      | null
      | undefined;
    answer: CreatedWebhook;
  };
  runNowJob: {
    path: { id: string };
    query: undefined;
    body: ActionRequest | null | undefined;
    answer: Job;
  };
  runPolicy: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: RanPolicy;
  };
  showBot: {
    path: { bot_id: string };
    query: ShowBotQuery;
    body: undefined;
    answer: Bot;
  };
  showDistribution: {
    path: { intake_id: string };
    query: undefined;
    body: undefined;
    answer: Distribution;
  };
  showFrontier: {
    path: { id: string };
    query: ShowFrontierQuery;
    body: undefined;
    answer: FrontierSummary;
  };
  showIntake: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Intake;
  };
  showJob: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: ShownJob;
  };
  showKeptText: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: KeptText;
  };
  showPage: {
    path: { id: string; hash: string };
    query: undefined;
    body: undefined;
    answer: ShownPage;
  };
  showPolicy: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Policy;
  };
  showPricePoint: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: PricePoint;
  };
  showProfile: {
    path: { name: string };
    query: undefined;
    body: undefined;
    answer: Profile;
  };
  showProgress: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: JobProgress;
  };
  showProxy: {
    path: { name: string };
    query: undefined;
    body: undefined;
    answer: ProxyPool;
  };
  showResult: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Result;
  };
  showSource: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Source;
  };
  showStats: {
    path: Record<string, never>;
    query: ShowStatsQuery;
    body: undefined;
    answer: Stats;
  };
  showValuation: {
    path: { intake_id: string };
    query: undefined;
    body: undefined;
    answer: Valuation;
  };
  showWebhook: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: ShownWebhook;
  };
  showWebhookDelivery: {
    path: { id: string; delivery_id: string };
    query: undefined;
    body: undefined;
    answer: ShownWebhookDelivery;
  };
  streamEvents: {
    path: Record<string, never>;
    query: StreamEventsQuery;
    body: undefined;
    answer: string;
  };
  streamJob: {
    path: { id: string };
    query: StreamJobQuery;
    body: undefined;
    answer: string;
  };
  submitResult: {
    path: Record<string, never>;
    query: undefined;
    body: SubmitRequest;
    answer: SubmitAnswer;
  };
  submitResults: {
    path: Record<string, never>;
    query: undefined;
    body: SubmitBatchRequest;
    answer: SubmitBatchAnswer;
  };
  testWebhook: {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: WebhookDelivery;
  };
}

export type OperationName = keyof Calls;

/** Where each operation is found. */
export const operations = {
  /** Perform one action on many jobs, chosen by ids or by a filter */
  bulkActOnJobs: { method: 'POST', path: '/api/v1/jobs/bulk' },
  /** Create up to 1,000 jobs, all or none */
  bulkCreateJobs: { method: 'POST', path: '/api/v1/jobs/bulk-create' },
  /** Cancel a job */
  cancelJob: { method: 'POST', path: '/api/v1/jobs/{id}/cancel' },
  /** Change settings of a bot */
  changeBot: { method: 'PATCH', path: '/api/v1/bots/{bot_id}' },
  /** Change fields of an intake */
  changeIntake: { method: 'PATCH', path: '/api/v1/intakes/{id}' },
  /** Change settings of a policy; existing jobs stay as they are */
  changePolicy: { method: 'PATCH', path: '/api/v1/policies/{id}' },
  /** Change settings of an existing source */
  changeSource: { method: 'PATCH', path: '/api/v1/sources/{id}' },
  /** Change settings of a webhook; pending deliveries use the new ones */
  changeWebhook: { method: 'PATCH', path: '/api/v1/webhooks/{id}' },
  /** Create a source, or change settings of one */
  configureSource: { method: 'PUT', path: '/api/v1/sources/{id}' },
  /** Create a bot and its token */
  createBot: { method: 'POST', path: '/api/v1/bots' },
  /** Create an intake */
  createIntake: { method: 'POST', path: '/api/v1/intakes' },
  /** Create a job */
  createJob: { method: 'POST', path: '/api/v1/jobs' },
  /** Create an API key; its secret is shown only once */
  createKey: { method: 'POST', path: '/api/v1/keys' },
  /** Create a policy; its first job starts at once, unless next_run_at is set */
  createPolicy: { method: 'POST', path: '/api/v1/policies' },
  /** Store headers, cookies or a password under a name; the values are never shown again */
  createProfile: { method: 'POST', path: '/api/v1/profiles' },
  /** Create a webhook; its secret is shown only once */
  createWebhook: { method: 'POST', path: '/api/v1/webhooks' },
  /** Delete an intake with its price points and valuation; its live jobs are cancelled */
  deleteIntake: { method: 'DELETE', path: '/api/v1/intakes/{id}' },
  /** Delete a job that has ended, with everything it stored */
  deleteJob: { method: 'DELETE', path: '/api/v1/jobs/{id}' },
  /** Delete a policy; its jobs and results stay, and a live job runs to its end */
  deletePolicy: { method: 'DELETE', path: '/api/v1/policies/{id}' },
  /** Delete a wrong price; its intake is valued again without it */
  deletePricePoint: { method: 'DELETE', path: '/api/v1/price-points/{id}' },
  /** Delete a profile with its values; jobs that use it fail */
  deleteProfile: { method: 'DELETE', path: '/api/v1/profiles/{name}' },
  /** Delete a proxy; jobs that name it fail */
  deleteProxy: { method: 'DELETE', path: '/api/v1/proxies/{name}' },
  /** Delete a webhook; pending deliveries are dropped */
  deleteWebhook: { method: 'DELETE', path: '/api/v1/webhooks/{id}' },
  /** Show what changed in a page since the previous crawl */
  diffPage: { method: 'GET', path: '/api/v1/jobs/{id}/pages/{hash}/diff' },
  /** Disable a policy; a live job runs to its end */
  disablePolicy: { method: 'POST', path: '/api/v1/policies/{id}/disable' },
  /** Disable a webhook; pending deliveries are kept, new events are not recorded */
  disableWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/disable' },
  /** Download the raw HTML of a page, if its crawl stored it */
  downloadPageHtml: { method: 'GET', path: '/api/v1/jobs/{id}/pages/{hash}/html' },
  /** Download the markdown of a page, of any size */
  downloadPageMarkdown: { method: 'GET', path: '/api/v1/jobs/{id}/pages/{hash}/markdown' },
  /** Download the screenshot of a page, if its crawl took one */
  downloadPageScreenshot: { method: 'GET', path: '/api/v1/jobs/{id}/pages/{hash}/screenshot' },
  /** Download the page as the bot saw it */
  downloadRawResult: { method: 'GET', path: '/api/v1/results/{id}/raw' },
  /** Enable a policy; if it is due, it runs at once */
  enablePolicy: { method: 'POST', path: '/api/v1/policies/{id}/enable' },
  /** Enable a webhook; pending deliveries are sent at once */
  enableWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/enable' },
  /** Collect prices for an intake, one job per source */
  enqueueIntake: { method: 'POST', path: '/api/v1/intakes/{id}/enqueue' },
  /** Collect prices for several intakes, one job per source */
  enqueueIntakes: { method: 'POST', path: '/api/v1/intakes/enqueue' },
  /** Take a running job away from its holder and mark it expired, for a person to decide */
  expireJob: { method: 'POST', path: '/api/v1/jobs/{id}/expire' },
  /** Export all pages of a crawl as one stream */
  exportPages: { method: 'GET', path: '/api/v1/jobs/{id}/export' },
  /** Extend the lock on a job, and receive a pause or cancel request */
  extendLock: { method: 'POST', path: '/api/crawl/heartbeat' },
  /** Show the keys that requests are signed with */
  getIdentity: { method: 'GET', path: '/api/v1/identity' },
  /** Import up to 1,000 intakes, all or none: {"intakes": […]}, or CSV as {"csv": "…"} */
  importIntakes: { method: 'POST', path: '/api/v1/intakes/import' },
  /** Import prices of an intake, all or none, as JSON or CSV */
  importPricePoints: { method: 'POST', path: '/api/v1/intakes/{id}/price-points' },
  /** List pages of all crawls, newest crawl first, without content */
  listAllPages: { method: 'GET', path: '/api/v1/pages' },
  /** List bots by owner and name */
  listBots: { method: 'GET', path: '/api/v1/bots' },
  /** Summarise failed and skipped pages of a crawl by reason, with examples */
  listErrors: { method: 'GET', path: '/api/v1/jobs/{id}/errors' },
  /** List the events of a job, oldest first */
  listEvents: { method: 'GET', path: '/api/v1/jobs/{id}/events' },
  /** List intakes, newest first */
  listIntakes: { method: 'GET', path: '/api/v1/intakes' },
  /** List jobs, newest first */
  listJobs: { method: 'GET', path: '/api/v1/jobs' },
  /** List API keys, newest first, including revoked and expired ones */
  listKeys: { method: 'GET', path: '/api/v1/keys' },
  /** List the pages of a crawl, without content */
  listPages: { method: 'GET', path: '/api/v1/jobs/{id}/pages' },
  /** List policies, newest first */
  listPolicies: { method: 'GET', path: '/api/v1/policies' },
  /** List price changes, newest first */
  listPriceChanges: { method: 'GET', path: '/api/v1/price-changes' },
  /** List the price history of a page, newest first */
  listPriceHistory: { method: 'GET', path: '/api/v1/price-history' },
  /** List observed prices, newest first */
  listPricePoints: { method: 'GET', path: '/api/v1/price-points' },
  /** List your profiles by name */
  listProfiles: { method: 'GET', path: '/api/v1/profiles' },
  /** List proxies with the health of their servers */
  listProxies: { method: 'GET', path: '/api/v1/proxies' },
  /** List results of visits, newest first */
  listResults: { method: 'GET', path: '/api/v1/results' },
  /** List what the robots.txt of a source says about the use of its content */
  listSourcePreferences: { method: 'GET', path: '/api/v1/sources/{id}/preferences' },
  /** List sources with their limits and health */
  listSources: { method: 'GET', path: '/api/v1/sources' },
  /** List earlier valuations of an intake, newest first */
  listValuationHistory: { method: 'GET', path: '/api/v1/valuations/{intake_id}/history' },
  /** List valuations, newest intakes first */
  listValuations: { method: 'GET', path: '/api/v1/valuations' },
  /** List the deliveries of a webhook, newest first */
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/webhooks/{id}/deliveries' },
  /** List webhooks, newest first */
  listWebhooks: { method: 'GET', path: '/api/v1/webhooks' },
  /** List workers with their state and load */
  listWorkers: { method: 'GET', path: '/api/v1/workers' },
  /** Pause a job; a running one saves its progress first */
  pauseJob: { method: 'POST', path: '/api/v1/jobs/{id}/pause' },
  /** Pause a source for some time or until it is resumed */
  pauseSource: { method: 'POST', path: '/api/v1/sources/{id}/pause' },
  /** Pull jobs, each locked for the bot */
  pullJobs: { method: 'POST', path: '/api/crawl/pull' },
  /** Create a proxy, or change settings of one; URLs with credentials are never shown again */
  putProxy: { method: 'PUT', path: '/api/v1/proxies/{name}' },
  /** Replace everything that a profile holds; running jobs use it from the next request on */
  replaceProfile: { method: 'PUT', path: '/api/v1/profiles/{name}' },
  /** Send dead deliveries of a webhook again, or all since a time */
  replayWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/replay' },
  /** Send a delivery again with its original webhook-id, whatever its status */
  replayWebhookDelivery: { method: 'POST', path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay' },
  /** Take a running job away from its holder; it becomes ready again and keeps its retries */
  resetLockJob: { method: 'POST', path: '/api/v1/jobs/{id}/reset-lock' },
  /** Resume a paused job from its checkpoint */
  resumeJob: { method: 'POST', path: '/api/v1/jobs/{id}/resume' },
  /** End every pause and slowdown of a source, and start the jobs that wait for it */
  resumeSource: { method: 'POST', path: '/api/v1/sources/{id}/resume' },
  /** Retry a finished job; a completed visit or collect job runs again as a new job */
  retryJob: { method: 'POST', path: '/api/v1/jobs/{id}/retry' },
  /** Retry failed and skipped pages of a finished crawl */
  retryJobUrls: { method: 'POST', path: '/api/v1/jobs/{id}/retry-urls' },
  /** Revoke an API key; it stops working within two seconds */
  revokeKey: { method: 'POST', path: '/api/v1/keys/{id}/revoke' },
  /** Replace the secret of a webhook; the old one also signs for a while */
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/webhooks/{id}/rotate-secret' },
  /** Start a waiting job now, ahead of its schedule, its retry or its host */
  runNowJob: { method: 'POST', path: '/api/v1/jobs/{id}/run-now' },
  /** Run a policy now, ahead of its schedule */
  runPolicy: { method: 'POST', path: '/api/v1/policies/{id}/run' },
  /** Show a bot */
  showBot: { method: 'GET', path: '/api/v1/bots/{bot_id}' },
  /** Show the price distribution of an intake, with outliers apart */
  showDistribution: { method: 'GET', path: '/api/v1/valuations/{intake_id}/distribution' },
  /** Show the pending URLs of a crawl by host, with limits and delays */
  showFrontier: { method: 'GET', path: '/api/v1/jobs/{id}/frontier' },
  /** Show an intake */
  showIntake: { method: 'GET', path: '/api/v1/intakes/{id}' },
  /** Show a job with its allowed actions and crawl counters */
  showJob: { method: 'GET', path: '/api/v1/jobs/{id}' },
  /** Show how much of the visible text of pages became markdown, by host */
  showKeptText: { method: 'GET', path: '/api/v1/jobs/{id}/kept-text' },
  /** Show a page with its markdown, links and structured data */
  showPage: { method: 'GET', path: '/api/v1/jobs/{id}/pages/{hash}' },
  /** Show a policy: settings, last runs and next run */
  showPolicy: { method: 'GET', path: '/api/v1/policies/{id}' },
  /** Show an observed price with the raw data of the source */
  showPricePoint: { method: 'GET', path: '/api/v1/price-points/{id}' },
  /** Show what a profile holds, without the values */
  showProfile: { method: 'GET', path: '/api/v1/profiles/{name}' },
  /** Show the progress, rate and estimated end of a job */
  showProgress: { method: 'GET', path: '/api/v1/jobs/{id}/progress' },
  /** Show a proxy with the health of its servers */
  showProxy: { method: 'GET', path: '/api/v1/proxies/{name}' },
  /** Show a result with all data read from the page */
  showResult: { method: 'GET', path: '/api/v1/results/{id}' },
  /** Show a source */
  showSource: { method: 'GET', path: '/api/v1/sources/{id}' },
  /** Show counts, throughput, and what is stuck or in trouble */
  showStats: { method: 'GET', path: '/api/v1/stats' },
  /** Show the valuation of an intake, its confidence and reasons */
  showValuation: { method: 'GET', path: '/api/v1/valuations/{intake_id}' },
  /** Show a webhook with its events and the state of its deliveries */
  showWebhook: { method: 'GET', path: '/api/v1/webhooks/{id}' },
  /** Show a delivery with its payload */
  showWebhookDelivery: { method: 'GET', path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}' },
  /** Stream job events */
  streamEvents: { method: 'GET', path: '/api/v1/events' },
  /** Stream the events and progress of a job */
  streamJob: { method: 'GET', path: '/api/v1/jobs/{id}/stream' },
  /** Submit the result of a visit, or its failure */
  submitResult: { method: 'POST', path: '/api/crawl/submit' },
  /** Submit up to 100 results; each gets its own answer */
  submitResults: { method: 'POST', path: '/api/crawl/submit-batch' },
  /** Send a webhook.test event; a worker delivers it within about a second */
  testWebhook: { method: 'POST', path: '/api/v1/webhooks/{id}/test' },
} as const satisfies Record<OperationName, { readonly method: string; readonly path: string }>;
