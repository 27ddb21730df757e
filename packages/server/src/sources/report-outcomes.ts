import { type Queryable, run, statement } from '../database/statement.ts';
import { type SourceState, stateColumns } from './source-state.ts';

/** What a worker saw of a source since its last report. */
export interface OutcomeReport {
  readonly sourceId: string;
  readonly succeeded: boolean;
  /** Failures since the last success. */
  readonly failures: number;
  /** How many times slower to go; 1: no slower. */
  readonly slower: number;
  readonly retryAfterMs: number;
}

export interface Breaker {
  /** Consecutive failures that pause a source. */
  readonly failures: number;
  readonly pauseSeconds: number;
}

export const standardBreaker: Breaker = { failures: 5, pauseSeconds: 300 };

/*
 * While the breaker is open, only its probe counts: late answers to requests from before say nothing new. Several workers
 * that are turned away at the same moment slow the source down once, not several times: once a second. A pause that is over
 * and was not for failures leaves no trace.
 */
const reportStatement = statement<SourceState>(
  'report-outcomes',
  `
WITH locked AS MATERIALIZED (
  SELECT source.* FROM sources source WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
),
counted AS (
  SELECT locked.*, report.*, pause_reason IS NOT DISTINCT FROM 'failures' AS was_open,
    CASE WHEN report.succeeded THEN 0 ELSE failure_streak END + report.failures AS streak,
    CASE WHEN paused_until > now() THEN paused_until END AS still_paused_until
  FROM locked JOIN unnest($1::text[], $2::boolean[], $3::integer[], $4::real[], $5::float8[])
    AS report (source_id, succeeded, failures, slower, retry_after_ms) ON source_id = id
),
judged AS (
  SELECT *, NOT was_open AND failures > 0 AND streak >= $6
    AND (pause_reason IS DISTINCT FROM 'operator' OR still_paused_until IS NULL) AS opens
  FROM counted
),
changed AS (
  UPDATE sources source SET
    failure_streak = CASE WHEN judged.was_open THEN source.failure_streak ELSE judged.streak END,
    last_success_at = CASE WHEN judged.succeeded THEN now() ELSE source.last_success_at END,
    last_failure_at = CASE WHEN judged.failures > 0 THEN now() ELSE source.last_failure_at END,
    (paused_until, pause_reason) = (
      SELECT until, CASE
        WHEN judged.was_open OR judged.opens THEN 'failures'
        WHEN still_paused_until IS NOT NULL THEN judged.pause_reason
        WHEN until IS NOT NULL THEN 'retry_after'
      END::pause_reason
      FROM (SELECT greatest(
        CASE WHEN judged.was_open THEN judged.paused_until ELSE still_paused_until END,
        CASE WHEN judged.opens THEN now() + make_interval(secs => $7) END,
        CASE WHEN judged.retry_after_ms > 0 THEN now() + make_interval(secs => judged.retry_after_ms / 1000) END
      ) AS until) pause),
    (slowdown, slowed_at) = (
      SELECT CASE WHEN slows THEN least(64, state.slowdown * judged.slower) ELSE source.slowdown END,
        CASE WHEN slows THEN now() ELSE source.slowed_at END
      FROM source_state(source) state,
        (SELECT judged.slower > 1 AND (source.slowdown = 1 OR source.slowed_at < now() - interval '1 s') AS slows) slows)
  FROM judged WHERE source.id = judged.id
  RETURNING source
)
SELECT ${stateColumns} FROM changed CROSS JOIN LATERAL source_state(changed.source) state`,
);

/** Writes what was seen of sources, at most one report for each: streaks, breaker, Retry-After and slow-down. */
export function reportOutcomes(
  db: Queryable,
  reports: readonly OutcomeReport[],
  breaker: Breaker = standardBreaker,
): Promise<SourceState[]> {
  return run(db, reportStatement, [
    reports.map((report) => report.sourceId),
    reports.map((report) => report.succeeded),
    reports.map((report) => report.failures),
    reports.map((report) => report.slower),
    reports.map((report) => report.retryAfterMs),
    breaker.failures,
    breaker.pauseSeconds,
  ]);
}
