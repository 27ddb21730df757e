-- A source is judged by the share of its recent answers that were refused or failed, over all workers, and taken at a
-- pace that follows what it can serve. Nothing of that is decided by one answer. See docs/adr/0021.

ALTER TABLE sources
  -- Answers of late that were counted: at most 100, older ones weigh less; from the last slow-down on. A URL that fails
  -- again does not count again.
  ADD COLUMN answers          float8 NOT NULL DEFAULT 0,
  ADD COLUMN refused          float8 NOT NULL DEFAULT 0,
  ADD COLUMN failed           float8 NOT NULL DEFAULT 0,
  -- Shares that are usual for this source, however slowly it is taken: they are its pages' fault.
  ADD COLUMN usual_refused    float8 NOT NULL DEFAULT 0.01,
  ADD COLUMN usual_bad        float8 NOT NULL DEFAULT 0.02,
  -- Answers a second that were neither refused nor failed, over all workers; a mean over about a second.
  ADD COLUMN goodput          float8 NOT NULL DEFAULT 0,
  ADD COLUMN counted_at       timestamptz NOT NULL DEFAULT now(),
  -- Requests a second that it could take when it was last found overloaded; null: never. See source_pace.
  ADD COLUMN capacity         float8 CHECK (capacity > 0),
  ADD COLUMN regain_seconds   float8 NOT NULL DEFAULT 4,
  ADD COLUMN overloaded_at    timestamptz,
  -- Slow-downs one after the other that changed nothing.
  ADD COLUMN futile_cuts      smallint NOT NULL DEFAULT 0,
  -- Since when it has had a pace without a break.
  ADD COLUMN paced_since      timestamptz,
  -- What it was slowed down for: the share of so many answers that were refused or failed.
  ADD COLUMN overload_share   float8,
  ADD COLUMN overload_answers integer,
  -- URLs of crawls in a row that failed, each counted once.
  ADD COLUMN failed_urls      integer NOT NULL DEFAULT 0;

-- Attempts at a URL, of all its `attempts`, that an overloaded host turned away: they have a bound of their own.
ALTER TABLE crawl_frontier ADD COLUMN refusals smallint NOT NULL DEFAULT 0;

-- Slow-downs of before were factors of another kind: every source is judged anew.
UPDATE sources SET slowdown = 1 WHERE slowdown <> 1;

COMMENT ON COLUMN sources.slowdown IS
  'How many times fewer requests at a time than its concurrency it gets, because its answers took longer at slowed_at; halves its way back to 1 by itself (source_state).';

/*
 * Requests a second that a source may get; null: as many as its limits allow. A function of the time since it was last
 * found overloaded, so that recovery needs no writes and is the same for all workers. It is the curve of CUBIC (RFC 9438):
 * from 8 % below the capacity it comes back quickly, is slow near the capacity, where it would be refused, and looks for more
 * ever more quickly when nobody refuses. After 8 times the time that it takes back to the capacity, the pace is gone.
 */
CREATE FUNCTION source_pace(source sources, at timestamptz) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT source.capacity * (1 + 0.08 * sign(turn) * turn ^ 4)
  FROM (SELECT greatest(extract(epoch FROM at - source.overloaded_at)::float8, 0) / source.regain_seconds - 1 AS turn) elapsed
  WHERE source.capacity IS NOT NULL AND turn < 4
$$;

/*
 * A count or a rate that can be reckoned with. What halves for ever ends as an error (PostgreSQL refuses results that float8
 * cannot hold), so that less than a millionth is nothing. So are null and NaN.
 */
CREATE FUNCTION countable(value float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN value >= 1e-6 AND value < 'NaN' THEN least(value, 1e6) ELSE 0 END
$$;

/*
 * The control law: what becomes of a source's row when workers report what they saw. Everything that decides about the
 * pace is here. The simulation (pace-simulation.test.ts) runs it against origins of a known capacity.
 *
 *   seen_*         answers since the reporter's last report, the latest 100 or so; refused: 429 and 503
 *   told_429       whether one was a 429, which says that we ask too much, whatever the share
 *   accepted, span_seconds   good answers and the time they came in
 *
 * Overloaded: more are refused than is usual for the source, or half of all answers are bad. The new capacity is what got
 * through, not a fraction of what was asked. For a quarter of a second afterwards nothing counts: that is the same overload,
 * seen by others or in answers that were under way. For the rest of the second it takes more to be overloaded again.
 */
CREATE FUNCTION judge_source(
  source sources, at timestamptz, seen_answers float8, seen_refused float8, seen_failed float8, told_429 boolean,
  accepted float8, span_seconds float8
) RETURNS sources LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  pace float8 := source_pace(source, at);
  elapsed float8 := greatest(extract(epoch FROM at - source.counted_at), 0);
  since_overload float8 := greatest(extract(epoch FROM at - source.overloaded_at), 0);
  -- A pace is judged by its last two seconds, so that chance weighs less the faster it is.
  most float8 := coalesce(greatest(50, 2 * source_pace(source, at)), 100);
  is_settling boolean := source_pace(source, at) IS NOT NULL AND at < source.overloaded_at + interval '1 s';
  kept float8;
  share float8;
  bad_share float8;
  is_refusing boolean;
  is_failing boolean;
  found float8;
BEGIN
  seen_answers := countable(seen_answers);
  seen_refused := least(countable(seen_refused), seen_answers);
  seen_failed := least(countable(seen_failed), seen_answers - seen_refused);
  source.goodput := countable(source.goodput * exp(-least(elapsed, 60)) + countable(accepted) *
    CASE WHEN span_seconds > 0.001 THEN (1 - exp(-least(span_seconds, 60))) / span_seconds ELSE 1 END);
  source.counted_at := greatest(at, source.counted_at);
  -- What other workers got through until now is part of what the source can take.
  IF is_settling AND source.paced_since = source.overloaded_at THEN
    source.capacity := greatest(source.capacity, source.goodput);
  END IF;
  IF is_settling AND since_overload < 0.25 THEN RETURN source; END IF;

  kept := 0.5 ^ (least(elapsed, 3600) / 60);
  source.answers := countable(source.answers * kept + seen_answers);
  source.refused := countable(source.refused * kept + seen_refused);
  source.failed := countable(source.failed * kept + seen_failed);
  IF source.answers > most THEN
    kept := most / source.answers;
    source.answers := source.answers * kept;
    source.refused := source.refused * kept;
    source.failed := source.failed * kept;
  END IF;
  IF source.answers = 0 THEN RETURN source; END IF;
  share := source.refused / source.answers;
  bad_share := (source.refused + source.failed) / source.answers;

  is_refusing := told_429 OR CASE
    -- Enough of them, or nearly all of the latest.
    WHEN pace IS NULL THEN source.refused >= 6 AND (share >= greatest(0.1, 0.03 + 2 * source.usual_refused)
      OR seen_refused >= 3 AND 2 * seen_refused >= seen_answers)
    ELSE source.refused >= 3 AND share >= 0.03 + 2 * source.usual_refused END;
  IF is_settling THEN
    is_refusing := source.answers >= 8 AND share >= 0.25;
  END IF;
  is_failing := NOT is_settling AND source.answers >= 10 AND bad_share >= greatest(0.5, 0.03 + 2 * source.usual_bad);

  -- At a pace, refusals may be our own doing: then less than was thought may be usual, but not more.
  IF NOT is_refusing AND (pace IS NULL OR seen_refused < source.usual_refused * seen_answers) THEN
    source.usual_refused := countable(least(0.1, source.usual_refused
      + (seen_refused / greatest(seen_answers, 1) - source.usual_refused) * least(1, seen_answers / 300)));
  END IF;
  source.usual_bad := countable(least(0.48, source.usual_bad
    + ((seen_refused + seen_failed) / greatest(seen_answers, 1) - source.usual_bad) * least(1, seen_answers / 100)));

  IF NOT (is_refusing OR is_failing) THEN RETURN source; END IF;
  IF is_refusing THEN
    -- Slower and slower, and as many are refused as before: it is the pages, then.
    source.futile_cuts := CASE WHEN since_overload < source.regain_seconds AND share < 0.4
      AND share >= 0.7 * source.overload_share THEN source.futile_cuts + 1 ELSE 0 END;
    IF source.futile_cuts >= 3 THEN
      source.usual_refused := greatest(source.usual_refused, 0.75 * share);
      source.futile_cuts := 0;
      source.regain_seconds := 2;
      source.overloaded_at := at;
      RETURN source;
    END IF;
    -- Of few answers a share says little.
    found := least(pace * (1 - source.refused / (source.answers + 4)),
      source.goodput * CASE WHEN pace IS NULL THEN 1 ELSE 1.1 END);
  ELSE
    -- How many fail says less about how many are too many.
    found := 0.8 * coalesce(pace, greatest(source.goodput / greatest(1 - bad_share, 0.1), 10));
  END IF;
  found := least(greatest(found, coalesce(pace, 8) / 4, 1.0 / 60), 1e6);
  source.regain_seconds := CASE
    -- The same capacity again: look for more with more patience, the more so the fewer requests there are to judge by.
    WHEN pace IS NOT NULL AND found BETWEEN 0.7 * source.capacity AND 1.4 * source.capacity
      THEN least(2 * source.regain_seconds, greatest(8, least(100 / found, 60)))
    WHEN pace IS NULL THEN 2
    ELSE 4 END;
  source.capacity := found;
  source.overloaded_at := at;
  source.paced_since := CASE WHEN pace IS NULL THEN at ELSE source.paced_since END;
  source.overload_share := CASE WHEN is_refusing THEN share ELSE bad_share END;
  source.overload_answers := greatest(round(source.answers), 1);
  source.answers := 0;
  source.refused := 0;
  source.failed := 0;
  RETURN source;
END
$$;

/*
 * What a worker has to know of a source now. Times between two requests (interval_ms):
 * - A limit of L per minute: 60 s / (L − 1) plus 1.2 %, below 20 per minute 60 s / L plus 5 %. A window of 60 s that any
 *   observer picks then holds at most L requests if each started at most tolerance_ms after its slot, even when a crash
 *   of the server undoes 0.6 s of slots (3 × wal_writer_delay: slots less than a second apart commit asynchronously):
 *   60 s + tolerance + 0.6 s ≤ L × interval.
 * - A delay of d: 5 % more, or 20 ms (for d below 20 ms, d); what is more is the tolerance, so the gap is never below d.
 * - A pace (source_pace): the time between two requests at it. The longest of the three counts.
 * A slowdown of f leaves one f-th of the concurrency; f − 1 halves every 30 s.
 */
DROP FUNCTION source_state(sources);
CREATE FUNCTION source_state(source sources) RETURNS TABLE (
  source_id text, concurrency integer, interval_ms float8, tolerance_ms float8, paced_by text, paused_until_ms float8,
  pause_reason text, failure_streak integer, failed_urls integer, slowdown float8, pace_per_minute float8
) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT source.id, greatest(1, floor(source.concurrency / factor))::integer, interval_ms,
    least(greatest(interval_ms, 100), source.rate_limit_per_minute * interval_ms - 60600,
      CASE WHEN delay > 0 THEN interval_ms - delay END),
    CASE WHEN rate_interval >= greatest(delay_interval, pace_interval) THEN 'rate' ELSE 'delay' END,
    CASE WHEN source.enabled THEN coalesce(epoch_ms(source.paused_until), 0) ELSE 'Infinity' END,
    source.pause_reason::text, source.failure_streak, source.failed_urls, factor, 60 * pace
  FROM (
    SELECT CASE WHEN decayed < 1.05 THEN 1 ELSE decayed END AS factor FROM (
      SELECT 1 + (source.slowdown::float8 - 1)
        * 0.5 ^ least(greatest(extract(epoch FROM now() - source.slowed_at)::float8, 0) / 30, 100) AS decayed
    ) slowed
  ) slowed,
  (SELECT greatest(source.min_delay_ms, source.crawl_delay_ms)::float8 AS delay, source_pace(source, now()) AS pace) given,
  LATERAL (
    SELECT delay + greatest(0.05 * delay, least(delay, 20)) AS delay_interval,
      CASE WHEN source.rate_limit_per_minute >= 20 THEN 60720.0::float8 / (source.rate_limit_per_minute - 1)
        ELSE coalesce(63000.0::float8 / source.rate_limit_per_minute, 0) END AS rate_interval,
      coalesce(1000 / pace, 0) AS pace_interval
  ) spaced,
  LATERAL (SELECT greatest(rate_interval, delay_interval, pace_interval) AS interval_ms) paced
$$;
