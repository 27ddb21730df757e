-- Bots: outside programs that pull visit jobs and submit results, over the same leases and fences as every holder.

-- A host without its port, from its end: a domain and all that is below it then begin alike.
CREATE FUNCTION domain_key(host text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT reverse(regexp_replace(host, ':[0-9]+$', ''))
$$;

-- Of a visit's URL, with its port if it is not the scheme's own. Bots ask for domains, and leave out those of paused sources.
ALTER TABLE crawl_jobs ADD COLUMN host text;

-- A bot pulls the jobs of its owner: those of others, however many, must not be in its way.
CREATE INDEX crawl_jobs_ready_for_bots ON crawl_jobs (user_id, priority DESC, created_at)
  WHERE executor = 'bot' AND status = 'pending' AND run_at IS NULL;
-- One host after the other within a domain, each in the order of the claim.
CREATE INDEX crawl_jobs_ready_in_domain ON crawl_jobs ((domain_key(host)) COLLATE "C", user_id, priority DESC, created_at)
  WHERE executor = 'bot' AND status = 'pending' AND run_at IS NULL;

-- The patterns that stand for a host, the most particular first, as sources/host-patterns.ts has them; a test compares.
CREATE FUNCTION host_patterns(host text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  name text := regexp_replace(host, ':[0-9]+$', '');
  patterns text[] := CASE WHEN name = host THEN ARRAY[host] ELSE ARRAY[host, name] END;
BEGIN
  IF name LIKE '[%' OR name ~ '^[0-9.]+$' THEN RETURN patterns; END IF;
  WHILE position('.' IN name) > 0 LOOP
    name := substring(name FROM position('.' IN name) + 1);
    patterns := patterns || ('*.' || name);
  END LOOP;
  RETURN patterns;
END $$;

-- Whether the source of a host, the configured one with the closest pattern or else the host's own, lets requests through.
CREATE FUNCTION host_is_open(host text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((
    SELECT source.enabled AND coalesce(source.paused_until <= now(), true) FROM (
      SELECT source, pattern.rank FROM unnest(host_patterns($1)) WITH ORDINALITY AS pattern (text, rank)
      JOIN sources source ON source.configured AND source.hosts @> ARRAY[pattern.text]
      UNION ALL
      SELECT source, 1000000 FROM sources source WHERE source.id = 'host:' || $1
      ORDER BY 2 LIMIT 1
    ) closest CROSS JOIN LATERAL (SELECT (closest.source).*) source
  ), true)
$$;

CREATE TABLE bots (
  bot_id               text NOT NULL CHECK (length(bot_id) BETWEEN 1 AND 100),
  user_id              text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 100),
  enabled              boolean NOT NULL DEFAULT true,
  max_jobs_per_pull    integer NOT NULL DEFAULT 100 CHECK (max_jobs_per_pull BETWEEN 1 AND 100),
  max_pulls_per_minute integer CHECK (max_pulls_per_minute > 0),
  -- Null: every domain.
  allowed_domains      text[],
  lock_ttl_seconds     integer CHECK (lock_ttl_seconds BETWEEN 1 AND 86400),
  created_at           timestamptz NOT NULL DEFAULT now(),
  last_seen_at         timestamptz,
  pulls                bigint NOT NULL DEFAULT 0,
  jobs_pulled          bigint NOT NULL DEFAULT 0,
  jobs_succeeded       bigint NOT NULL DEFAULT 0,
  jobs_failed          bigint NOT NULL DEFAULT 0,
  window_start         timestamptz NOT NULL DEFAULT now(),
  window_pulls         integer NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, bot_id)
) WITH (fillfactor = 50);

-- What bots did by the hour, for activity and success rate over time.
CREATE TABLE bot_hours (
  user_id        text NOT NULL,
  bot_id         text NOT NULL,
  hour           timestamptz NOT NULL,
  pulls          integer NOT NULL DEFAULT 0,
  jobs_pulled    integer NOT NULL DEFAULT 0,
  jobs_succeeded integer NOT NULL DEFAULT 0,
  jobs_failed    integer NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, bot_id, hour)
) WITH (fillfactor = 50);

-- The leases of pulls with an idempotency key, so that a lost answer can be had again.
CREATE TABLE bot_pulls (
  user_id         text NOT NULL,
  bot_id          text NOT NULL,
  idempotency_key text NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 200),
  jobs            jsonb NOT NULL,
  skipped         integer NOT NULL,
  at              timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, bot_id, idempotency_key)
);
-- For pruning: rows come in the order of their time.
CREATE INDEX bot_pulls_at ON bot_pulls USING brin (at);

-- What each lease submitted and was told: a repeated submit gets its first answer again.
CREATE TABLE bot_submissions (
  job_id      uuid NOT NULL,
  fence       bigint NOT NULL,
  bot_id      text NOT NULL,
  http_status smallint NOT NULL,
  -- json keeps the text: digits of a price, order of fields.
  answer      json NOT NULL,
  at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, fence)
);

-- What a visit brought back, from a bot or from our own runner: one per job, written with its completion.
CREATE TABLE crawl_results (
  id          uuid DEFAULT uuid_v7() PRIMARY KEY,
  job_id      uuid NOT NULL UNIQUE,
  policy_id   uuid,
  user_id     text NOT NULL,
  url         text NOT NULL,
  price       numeric CHECK (price >= 0),
  currency    text CHECK (currency ~ '^[A-Z]{3}$'),
  title       text,
  in_stock    boolean,
  parsed_data jsonb,
  -- Deflated by whoever stores it, as pages are.
  raw_html    bytea,
  -- bot:<bot_id> or supervisor:<worker_id>, as in job_events.
  actor       text NOT NULL,
  crawled_at  timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE crawl_results ALTER COLUMN raw_html SET STORAGE EXTERNAL;
CREATE INDEX crawl_results_of_policy ON crawl_results (policy_id, id) WHERE policy_id IS NOT NULL;
CREATE INDEX crawl_results_of_url ON crawl_results (md5(url), id);
-- Where all is one owner's, the primary key is as good, and writers need not pay for this.
CREATE INDEX crawl_results_of_owner ON crawl_results (user_id, id) WHERE user_id <> 'local';
