/** The purpose of each table on docs/schema.md. A table that is missing here shows the comment of its migration. */
export const tablePurposes: Readonly<Record<string, string>> = {
  adapter_cache: 'Cached responses of price sources, shared by all workers.',
  api_keys: 'Keys of the HTTP API: hash, scopes, owner and quotas.',
  bot_hours: 'Hourly activity of bots.',
  bot_pulls: 'Pulls with an idempotency key, so that a repeated pull returns the same jobs.',
  bot_submissions: 'Responses to submissions, so that a repeated submission gets the same response.',
  bots: 'Bots with their limits and totals.',
  crawl_cookies: 'Cookies that sites gave to a crawl, by the domain that they cannot leave.',
  crawl_frontier: 'URLs found and not yet crawled, by job and host.',
  crawl_gone:
    'Pages of the baseline that no link leads to any more. Pages that answered 404 or 410 are in `crawl_pages`.',
  crawl_hosts: "Position of each host's first frontier row, so that reading does not pass deleted rows.",
  crawl_jobs: 'The queue: one row per job, with its lease and fence.',
  crawl_page_contents: 'Markdown, HTML and links of pages, compressed by the runner.',
  crawl_pages: 'The outcome of each URL of a crawl: fetched, redirected, skipped or failed.',
  crawl_policies: 'What runs repeatedly, and when.',
  crawl_results: 'Results of visits, one per job, written with its completion.',
  crawl_screenshots: 'PNG screenshots of rendered pages, if the crawl stores them.',
  crawl_shard_hosts: 'What crawl_hosts is for the shards of a crawl with several.',
  crawl_shards:
    'Shards of crawls that several runners share: who holds each, what is left in it, and its part of the page limit.',
  crawl_states: 'Counters and latest checkpoint of a crawl. A crawl without a row has not started.',
  crawl_suspects:
    'URLs that were in flight when a runner died. Each next runs alone; only a death while alone counts.',
  crawl_visited: 'Hashes of all URLs that a crawl has found: the first 128 bits of SHA-256.',
  identity_keys: 'The keys that requests are signed with, and when each signs and leaves the key directory.',
  holdfast_migrations: 'Applied migrations with their checksums.',
  instance_secrets: 'Secrets shared by all API processes, which sign lease tokens and sessions.',
  intakes: 'Items to be priced.',
  job_events: 'The history of all jobs. Each transition writes its event in the same statement.',
  key_live_jobs: 'Jobs that count against the max_live_jobs of a key.',
  key_usage: 'Usage of quotas by key, quota and time window.',
  login_links: 'Links that sign in once, such as the one that `holdfast up` prints.',
  price_changes: 'Price changes between two results of the same owner and URL.',
  price_points: 'Observed prices of intakes.',
  profiles:
    'Sign-ins: headers and cookies for the crawls, visits and adapters of an owner. The values are in `secrets`.',
  render_verdicts:
    'How often rendering pages of a host added text or links. All workers and later crawls share it.',
  robots_cache: 'The robots.txt rules of each origin.',
  secrets:
    'Secret values, sealed with a key that is not in the database (HOLDFAST_SECRET_KEY, or a file in the data folder).',
  sessions: 'Console sessions. A session has the rights of its key and ends with it.',
  source_shares:
    'Concurrency shares of running jobs, one row per source: `{"<run>": {"share": 4, "until": <ms>}}`.',
  source_slots: 'The next free request slot of each source.',
  sources: 'External sites: limits, health, adapters.',
  valuation_history: 'Every valuation that differed from the previous one.',
  valuations: 'The current valuation of each intake.',
  webhook_deliveries:
    'Deliveries to webhooks. There is no foreign key: those of a removed webhook are never sent, and pruned.',
  webhooks: 'Webhooks with their signing secrets.',
  workers: 'Workers and when each was last seen.',
};
