import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from '../sources/source-state.ts';

/** The outcomes of a source that a worker has seen since its last report. */
export interface OutcomeReport {
  readonly source_id: string;
  readonly succeeded: boolean;
  /** Failures since the last success that count for the streak of HOLDFAST_BREAKER_FAILURES. */
  readonly failures: number;
  /** URLs of crawls that failed since the last success, each counted once. */
  readonly failed_urls: number;
  /** For how long no request may start, according to a 429. */
  readonly retry_after_ms: number;
  /** The same from a 503, which applies to the source only if that is overloaded. */
  readonly page_retry_after_ms: number;
  /** By how much to divide the concurrency, because answers are slow; 1: not at all. */
  readonly slower: number;
  /** For judge_source in the migration. */
  readonly answers: number;
  readonly refused: number;
  readonly failed: number;
  readonly told_429: boolean;
  /** Why one of its hosts is unreachable, such as dns_failed; null: it is not, as far as known. */
  readonly trouble: string | null;
  readonly trouble_host: string | null;
  readonly accepted: number;
  readonly span_seconds: number;
}

export interface Breaker {
  /** Consecutive failures that pause a source. */
  readonly failures: number;
  readonly pauseSeconds: number;
}

export const standardBreaker: Breaker = { failures: 5, pauseSeconds: 300 };

/** How many consecutive URLs of crawls must fail before a source counts as broken. */
const brokenAfterUrls = 20;

/** Failures are counted up to here: a dead source may be requested for years. */
const mostInARow = 1_000_000;

/*
 * For a second after an overload, refusals do not count as consecutive failures. While the breaker is open only its probe counts:
 * late answers to earlier requests say nothing new. A pause that is over and was not for failures is cleared. A source that gets
 * a pace gets no slot for a second, because it has just had too many requests. Slow answers lower the concurrency at most once in
 * five seconds, and at most to a quarter.
 */
const reportStatement = statement<SourceState>(
  'report-outcomes',
  `
WITH locked AS MATERIALIZED (
  SELECT source AS before FROM sources source WHERE id IN (SELECT value ->> 'source_id' FROM jsonb_array_elements($1::jsonb))
  ORDER BY id FOR NO KEY UPDATE
),
counted AS MATERIALIZED (
  SELECT before, report.*, (before).pause_reason IS NOT DISTINCT FROM 'failures' AS was_open,
    least(CASE WHEN report.succeeded THEN 0 ELSE (before).failure_streak END + least(report.failures, ${mostInARow}), ${mostInARow}) AS streak,
    least(CASE WHEN report.succeeded THEN 0 ELSE (before).failed_urls END + least(CASE
      WHEN (before).overloaded_at > now() - interval '1 s' THEN greatest(0, report.failed_urls - report.refused)::integer
      ELSE report.failed_urls END, ${mostInARow}), ${mostInARow}) AS urls,
    CASE WHEN (before).paused_until > now() THEN (before).paused_until END AS still_paused_until,
    judge_source(before, now(), report.answers, report.refused, report.failed, report.told_429, report.accepted,
      report.span_seconds) AS verdict
  FROM locked JOIN jsonb_to_recordset($1::jsonb) AS report (source_id text, succeeded boolean, failures integer,
    failed_urls integer, retry_after_ms float8, page_retry_after_ms float8, slower real, answers float8, refused float8,
    failed float8, told_429 boolean, trouble text, trouble_host text, accepted float8, span_seconds float8) ON report.source_id = (before).id
),
judged AS MATERIALIZED (
  SELECT *, (verdict).overloaded_at IS DISTINCT FROM (before).overloaded_at AS is_overloaded,
    NOT was_open AND (failures > 0 AND streak >= $2 OR failed_urls > 0 AND urls >= greatest($2, ${brokenAfterUrls}))
      AND ((before).pause_reason IS DISTINCT FROM 'operator' OR still_paused_until IS NULL) AS opens
  FROM counted
),
changed AS (
  UPDATE sources source SET
    failure_streak = CASE WHEN was_open THEN source.failure_streak ELSE streak END,
    failed_urls = CASE WHEN was_open THEN source.failed_urls ELSE urls END,
    last_success_at = CASE WHEN judged.succeeded THEN now() ELSE source.last_success_at END,
    last_failure_at = CASE WHEN greatest(judged.failures, judged.failed_urls, judged.refused, judged.failed) > 0 THEN now() ELSE source.last_failure_at END,
    (trouble, trouble_host, trouble_since) = (SELECT
      CASE WHEN said THEN judged.trouble WHEN NOT judged.succeeded THEN source.trouble END,
      CASE WHEN said THEN judged.trouble_host WHEN NOT judged.succeeded THEN source.trouble_host END,
      CASE WHEN said AND source.trouble IS DISTINCT FROM judged.trouble THEN now()
        WHEN said OR NOT judged.succeeded THEN source.trouble_since END
      FROM (SELECT judged.trouble IS NOT NULL AS said) told),
    (paused_until, pause_reason) = (
      SELECT until, CASE
        WHEN was_open OR opens THEN 'failures'
        WHEN still_paused_until IS NOT NULL THEN (before).pause_reason
        WHEN until IS NOT NULL THEN 'retry_after'
      END::pause_reason
      FROM (SELECT greatest(
        CASE WHEN was_open THEN (before).paused_until ELSE still_paused_until END,
        CASE WHEN opens THEN now() + make_interval(secs => $3) END,
        CASE WHEN held_ms > 0 THEN now() + make_interval(secs => held_ms / 1000) END
      ) AS until
      FROM (SELECT greatest(retry_after_ms, CASE WHEN is_overloaded THEN page_retry_after_ms END) AS held_ms) held) pause),
    (slowdown, slowed_at) = (
      SELECT CASE WHEN slows THEN least(4, state.slowdown * judged.slower) ELSE source.slowdown END,
        CASE WHEN slows THEN now() ELSE source.slowed_at END
      FROM source_state(source) state,
        (SELECT judged.slower > 1 AND (source.slowdown = 1 OR source.slowed_at < now() - interval '5 s') AS slows) slows),
    answers = (verdict).answers, refused = (verdict).refused, failed = (verdict).failed,
    usual_refused = (verdict).usual_refused, usual_bad = (verdict).usual_bad,
    goodput = (verdict).goodput, counted_at = (verdict).counted_at, capacity = (verdict).capacity,
    regain_seconds = (verdict).regain_seconds, futile_cuts = (verdict).futile_cuts, overloaded_at = (verdict).overloaded_at,
    paced_since = (verdict).paced_since, overload_share = (verdict).overload_share,
    overload_answers = (verdict).overload_answers
  FROM judged WHERE source.id = (judged.before).id
  RETURNING source
),
emptied AS (
  UPDATE source_slots slot SET next_slot_at = greatest(slot.next_slot_at, now()) + interval '1 s'
  FROM judged WHERE is_overloaded AND slot.source_id = (judged.before).id
    AND (verdict).paced_since IS DISTINCT FROM (before).paced_since
)
SELECT ${stateColumns} FROM changed CROSS JOIN LATERAL source_state(changed.source) state`,
);

/** Writes at most one report per source: updates streaks, breaker, Retry-After and the pace. */
export function reportOutcomes(
  db: Queryable,
  reports: readonly OutcomeReport[],
  breaker: Breaker = standardBreaker,
): Promise<SourceState[]> {
  return run(db, reportStatement, [JSON.stringify(reports), breaker.failures, breaker.pauseSeconds]);
}
