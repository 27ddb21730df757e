-- A crawl's state: what is left (frontier), what was ever found (visited), what came of it (pages). All of it is written by
-- the checkpoint, one fenced statement; its cost follows what changed since the last one, never the size of the crawl.

-- What a frontier row asks for: a page, a sitemap to read URLs from, or a text file (llms.txt) with links in it.
CREATE TYPE frontier_kind AS ENUM ('page', 'sitemap', 'text');
CREATE TYPE page_outcome AS ENUM ('fetched', 'failed', 'skipped', 'redirected');

-- A crawl without a row here has not begun; one with a row goes on from it, whatever its status.
CREATE TABLE crawl_states (
  job_id          uuid PRIMARY KEY,
  -- Raised by every checkpoint: one that is repeated after a lost answer finds its number taken and changes nothing.
  checkpoint_no   integer NOT NULL DEFAULT 0,
  -- Fetched and failed pages; skipped and redirected ones are counted apart.
  total_processed integer NOT NULL DEFAULT 0,
  -- Always the number of frontier rows.
  total_pending   integer NOT NULL DEFAULT 0,
  current_depth   smallint NOT NULL DEFAULT 0,
  fetched         integer NOT NULL DEFAULT 0,
  failed          integer NOT NULL DEFAULT 0,
  skipped         integer NOT NULL DEFAULT 0,
  redirected      integer NOT NULL DEFAULT 0,
  -- URLs found in scope and left over when a limit was reached.
  not_crawled     integer NOT NULL DEFAULT 0,
  -- Links that led out of scope, by reason; they are counted, not stored.
  off_scope       jsonb NOT NULL DEFAULT '{}',
  bytes           bigint NOT NULL DEFAULT 0,
  next_seq        bigint NOT NULL DEFAULT 1,
  next_page_no    bigint NOT NULL DEFAULT 1,
  current_url     text,
  -- What discovery learned and a resumed run must not learn again (hosts that joined the scope, sitemaps left to read …).
  discovery       jsonb NOT NULL DEFAULT '{}',
  started_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

CREATE TABLE crawl_frontier (
  job_id     uuid NOT NULL,
  host       text NOT NULL,
  -- In the order of discovery, so that a host's rows are read breadth first.
  seq        bigint NOT NULL,
  url_hash   uuid NOT NULL,
  url        text NOT NULL,
  kind       frontier_kind NOT NULL DEFAULT 'page',
  depth      smallint NOT NULL,
  -- Redirects that led here one after the other; a chain without end is cut off.
  redirects  smallint NOT NULL DEFAULT 0,
  attempts   smallint NOT NULL DEFAULT 0,
  -- url_hash of the page that linked here; null for seeds.
  parent     uuid,
  not_before timestamptz,
  PRIMARY KEY (job_id, host, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The first 128 bits of SHA-256 of every canonical URL ever put into a job's frontier (as uuid: bytea is 30–45 % slower).
CREATE TABLE crawl_visited (
  job_id   uuid NOT NULL,
  url_hash uuid NOT NULL,
  PRIMARY KEY (job_id, url_hash)
);

-- Where each host's live frontier rows begin: after 900,000 deletes, finding out by reading costs 405 ms, from here 2–9.
CREATE TABLE crawl_hosts (
  job_id  uuid NOT NULL,
  host    text NOT NULL,
  pending integer NOT NULL DEFAULT 0,
  done    integer NOT NULL DEFAULT 0,
  low_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, host)
) WITH (fillfactor = 50);

CREATE TABLE crawl_pages (
  job_id        uuid NOT NULL,
  url_hash      uuid NOT NULL,
  -- In the order of their checkpoints: who follows a crawl or exports it reads on behind the last one it has.
  page_no       bigint NOT NULL,
  outcome       page_outcome NOT NULL,
  kind          frontier_kind NOT NULL DEFAULT 'page',
  status        smallint,
  depth         smallint NOT NULL,
  attempts      smallint NOT NULL,
  word_count    integer,
  bytes         integer,
  fetched_at    timestamptz NOT NULL,
  parent        uuid,
  content_hash  uuid,
  url           text NOT NULL,
  -- Why it was skipped, or the error code of a failed one.
  reason        text,
  message       text,
  -- Where a redirected URL led.
  target_url    text,
  canonical_url text,
  content_type  text,
  language      text,
  etag          text,
  last_modified text,
  title         text,
  description   text,
  -- Headings, OpenGraph, and product data of JSON-LD and microdata, where there are any.
  structured    jsonb,
  PRIMARY KEY (job_id, url_hash),
  CONSTRAINT reason_unless_fetched CHECK ((outcome IN ('failed', 'skipped')) = (reason IS NOT NULL))
);
CREATE UNIQUE INDEX crawl_pages_in_order ON crawl_pages (job_id, page_no);
CREATE INDEX crawl_pages_not_fetched ON crawl_pages (job_id, outcome, url_hash) WHERE outcome <> 'fetched';

-- Deflated by the runner: 100 µs a page against 553 when the server compresses, so the server must not try.
CREATE TABLE crawl_page_contents (
  job_id   uuid NOT NULL,
  url_hash uuid NOT NULL,
  -- Newline-separated absolute URLs.
  links    bytea,
  markdown bytea,
  html     bytea,
  PRIMARY KEY (job_id, url_hash)
);
ALTER TABLE crawl_page_contents ALTER links SET STORAGE EXTERNAL, ALTER markdown SET STORAGE EXTERNAL,
  ALTER html SET STORAGE EXTERNAL;

-- URLs in flight when a runner died. Each next runs alone; only a death while it ran alone counts against it.
CREATE TABLE crawl_suspects (
  job_id   uuid NOT NULL,
  url_hash uuid NOT NULL,
  deaths   smallint NOT NULL DEFAULT 0,
  -- The run whose death was counted last.
  last_fence bigint NOT NULL,
  PRIMARY KEY (job_id, url_hash)
);

-- A one-shot command finds its job, and a recrawl its baseline: the newest crawl with the same key.
CREATE INDEX crawl_jobs_newest_crawl ON crawl_jobs (user_id, dedupe_key, id DESC)
  WHERE kind = 'crawl' AND dedupe_key IS NOT NULL;

-- Who works here. A supervisor that starts on the same host recovers at once the jobs of those that are provably dead.
CREATE TABLE workers (
  id              text PRIMARY KEY,
  host            text NOT NULL,
  boot_id         text NOT NULL,
  pid             integer NOT NULL,
  process_start   text NOT NULL,
  version         text NOT NULL,
  max_jobs        integer NOT NULL,
  running_jobs    integer NOT NULL DEFAULT 0,
  draining        boolean NOT NULL DEFAULT false,
  started_at      timestamptz NOT NULL DEFAULT now(),
  last_seen       timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
