-- Sources: places on the outside, with their limits and their health. What must hold over all workers and survive every
-- restart is here: slots, shares, pauses, delays. A worker only keeps what it was granted, and for how long.

CREATE TYPE pause_reason AS ENUM ('operator', 'failures', 'retry_after');

CREATE FUNCTION epoch_ms(at timestamptz) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT extract(epoch FROM at)::float8 * 1000
$$;

CREATE TABLE sources (
  -- 'host:example.com' for the source of a host that nobody configured.
  id                    text PRIMARY KEY DEFAULT uuid_v7()::text,
  name                  text NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
  -- Exact hosts, and '*.example.com' for every host below one.
  hosts                 text[] NOT NULL DEFAULT '{}',
  -- Said by an operator; false: made when a host was first asked for. A configured source wins over such a one.
  configured            boolean NOT NULL DEFAULT false,
  enabled               boolean NOT NULL DEFAULT true,
  adapter_type          text,
  config                jsonb NOT NULL DEFAULT '{}',
  rate_limit_per_minute integer CHECK (rate_limit_per_minute BETWEEN 1 AND 600000),
  concurrency           integer NOT NULL DEFAULT 8 CHECK (concurrency BETWEEN 1 AND 1000),
  min_delay_ms          integer NOT NULL DEFAULT 0 CHECK (min_delay_ms BETWEEN 0 AND 3600000),
  -- As robots.txt asks; null when it does not.
  crawl_delay_ms        integer CHECK (crawl_delay_ms BETWEEN 0 AND 60000),
  reputation_weight     real NOT NULL DEFAULT 0.5 CHECK (reputation_weight BETWEEN 0 AND 1),
  tier                  smallint NOT NULL DEFAULT 5 CHECK (tier BETWEEN 1 AND 10),
  failure_streak        integer NOT NULL DEFAULT 0,
  -- To half a minute: a success after successes is not worth a write.
  last_success_at       timestamptz,
  last_failure_at       timestamptz,
  -- 'infinity': until an operator resumes it.
  paused_until          timestamptz,
  -- 'failures' outlives paused_until: then one probe decides.
  pause_reason          pause_reason,
  probe_by              text,
  probe_until           timestamptz,
  -- How many times slower than its limits it was at slowed_at; it halves its way back to 1 by itself (source_state).
  slowdown              real NOT NULL DEFAULT 1 CHECK (slowdown BETWEEN 1 AND 64),
  slowed_at             timestamptz NOT NULL DEFAULT now(),
  created_at            timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT paused_for_a_reason CHECK ((paused_until IS NULL) = (pause_reason IS NULL))
) WITH (fillfactor = 70);

-- Only operators change what it names, so that every other update is HOT; default sources, of which there may be a row
-- for each host ever crawled, stay out of it.
CREATE INDEX sources_configured_hosts ON sources USING gin (hosts) WHERE configured;

-- Apart from sources, because it is written up to ten times a second per source and worker.
CREATE TABLE source_slots (
  source_id    text PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
  next_slot_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Who may have how many requests under way: {"<run>": {"share": 4, "until": <ms of the epoch>}}. All of a source's shares
-- in one row: a statement that waited for a row sees that row anew, but other rows as they were before it waited, and
-- would divide by shares that are out of date.
CREATE TABLE source_shares (
  source_id text PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
  runs      jsonb NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

/*
 * What a worker has to know of a source now. Times between two requests (interval_ms):
 * - A limit of L per minute: 60 s / (L − 1) plus 1.2 %, below 20 per minute 60 s / L plus 5 %. A window of 60 s that any
 *   observer picks then holds at most L requests if each started at most tolerance_ms after its slot, even when a crash
 *   of the server undoes 0.6 s of slots (3 × wal_writer_delay: slots less than a second apart commit asynchronously):
 *   60 s + tolerance + 0.6 s ≤ L × interval.
 * - A delay of d: 5 % more, or 20 ms (for d below 20 ms, d); what is more is the tolerance, so the gap is never below d.
 * - A slow-down of f: f times that, or 50 ms × (f − 1) if there is no limit or delay, and one f-th of the concurrency.
 *   At most a minute; f − 1 halves every 30 s; so recovery is slow, needs no writes, and is the same for all.
 */
CREATE FUNCTION source_state(source sources) RETURNS TABLE (
  source_id text, concurrency integer, interval_ms float8, tolerance_ms float8, paced_by text, paused_until_ms float8,
  pause_reason text, failure_streak integer, slowdown float8
) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT source.id, greatest(1, floor(source.concurrency / factor))::integer, interval_ms,
    least(greatest(interval_ms, 100), source.rate_limit_per_minute * interval_ms - 60600,
      CASE WHEN delay > 0 THEN interval_ms - delay END),
    CASE WHEN rate_interval >= greatest(delay_interval, 50 * (factor - 1) / factor) THEN 'rate' ELSE 'delay' END,
    CASE WHEN source.enabled THEN coalesce(epoch_ms(source.paused_until), 0) ELSE 'Infinity' END,
    source.pause_reason::text, source.failure_streak, factor
  FROM (
    SELECT CASE WHEN decayed < 1.05 THEN 1 ELSE decayed END AS factor FROM (
      SELECT 1 + (source.slowdown::float8 - 1)
        * 0.5 ^ least(greatest(extract(epoch FROM now() - source.slowed_at)::float8, 0) / 30, 100) AS decayed
    ) slowed
  ) slowed,
  (SELECT greatest(source.min_delay_ms, source.crawl_delay_ms)::float8 AS delay) delayed,
  LATERAL (
    SELECT delay + greatest(0.05 * delay, least(delay, 20)) AS delay_interval,
      CASE WHEN source.rate_limit_per_minute >= 20 THEN 60720.0::float8 / (source.rate_limit_per_minute - 1)
        ELSE coalesce(63000.0::float8 / source.rate_limit_per_minute, 0) END AS rate_interval
  ) spaced,
  LATERAL (
    SELECT least(greatest(greatest(rate_interval, delay_interval) * factor, 50 * (factor - 1)),
      greatest(rate_interval, delay_interval, 60000)) AS interval_ms
  ) paced
$$;

-- One row per origin. What the rules look like is the business of whoever reads robots.txt.
CREATE TABLE robots_cache (
  origin     text PRIMARY KEY,
  fetched_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  outcome    text NOT NULL,
  rules      jsonb NOT NULL
);
