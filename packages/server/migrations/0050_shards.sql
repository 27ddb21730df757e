-- Crawls that run in several processes at once (docs/adr/0038). A crawl with one shard has no rows in these tables: its
-- job's lease is all it needs.

-- Runners at work on a crawl with several shards; null: nobody may join it.
ALTER TABLE crawl_jobs ADD COLUMN runners smallint;
CREATE INDEX crawl_jobs_shared ON crawl_jobs (id) WHERE runners IS NOT NULL;

ALTER TABLE crawl_states
  -- Pages of max_pages that shards may still fetch: the sum of their budgets.
  ADD COLUMN leased integer NOT NULL DEFAULT 0;

-- Names of runners. Each is handed out once, and a later one is greater.
CREATE SEQUENCE crawl_tickets;

CREATE TABLE crawl_shards (
  job_id           uuid NOT NULL,
  -- Its frontier rows have this number in the upper bits of seq.
  shard            smallint NOT NULL,
  -- Of the crawl, and what decides the shard of a URL: its registrable domain or its hash.
  shards           smallint NOT NULL,
  shard_by         text NOT NULL CHECK (shard_by IN ('domain', 'url')),
  -- The ticket of its last holder, whose every write names it.
  fence            bigint NOT NULL DEFAULT 0,
  -- Null: free.
  worker_id        text,
  lease_expires_at timestamptz,
  claimed_at       timestamptz,
  checkpoint_no    integer NOT NULL DEFAULT 0,
  pending          integer NOT NULL DEFAULT 0,
  retrying         integer NOT NULL DEFAULT 0,
  -- URLs that other shards added, so that its runner knows when to look for them.
  arrivals         bigint NOT NULL DEFAULT 0,
  processed        bigint NOT NULL DEFAULT 0,
  -- Pages of max_pages that its holder may still fetch.
  budget           integer NOT NULL DEFAULT 0,
  -- All its hosts are blocked until then, and whether that is because of their robots.txt.
  not_before       timestamptz,
  by_robots        boolean NOT NULL DEFAULT false,
  updated_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, shard),
  CONSTRAINT held_with_lease CHECK ((worker_id IS NULL) = (lease_expires_at IS NULL)),
  CONSTRAINT counts_not_negative CHECK (pending >= 0 AND retrying >= 0 AND budget >= 0)
) WITH (fillfactor = 50);
CREATE INDEX crawl_shards_held ON crawl_shards (worker_id) WHERE worker_id IS NOT NULL;

-- As crawl_hosts, which serves crawls with one shard.
CREATE TABLE crawl_shard_hosts (
  job_id  uuid NOT NULL,
  shard   smallint NOT NULL,
  host    text NOT NULL,
  pending integer NOT NULL DEFAULT 0,
  done    integer NOT NULL DEFAULT 0,
  low_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, shard, host)
) WITH (fillfactor = 50);
