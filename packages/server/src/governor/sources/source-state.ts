import type { PauseReason } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** What a worker needs to know of a source (`source_state` in the migrations). Times are milliseconds of the database's clock. */
export interface SourceState {
  readonly source_id: string;
  readonly concurrency: number;
  /** Between two requests of all workers together; 0: as fast as the concurrency allows. */
  readonly interval_ms: number;
  /** How late a slot may still be used. */
  readonly tolerance_ms: number;
  readonly paced_by: 'rate' | 'delay';
  /** Infinity: until an operator resumes it. */
  readonly paused_until_ms: number;
  readonly pause_reason: PauseReason | null;
  /** Consecutive failures that count for HOLDFAST_BREAKER_FAILURES. */
  readonly failure_streak: number;
  /** Consecutive URLs of crawls that failed. */
  readonly failed_urls: number;
  readonly slowdown: number;
  /** Estimated capacity in requests per minute; null: it has not refused requests lately. */
  readonly pace_per_minute: number | null;
  /** The database's time of this state. */
  readonly now_ms: number;
}

export const stateColumns = 'state.*, epoch_ms(clock_timestamp()) AS now_ms';

export interface WatchedSource extends SourceState {
  /** Runs with a live share. */
  readonly runs: number;
}

const readStatement = statement<WatchedSource>(
  'read-source-states',
  `
SELECT ${stateColumns}, (
    SELECT count(*) FROM jsonb_each(share.runs) AS run
    WHERE (run.value ->> 'until')::float8 > epoch_ms(clock_timestamp())
  ) AS runs
FROM sources source JOIN source_shares share ON share.source_id = source.id CROSS JOIN LATERAL source_state(source) state
WHERE source.id = ANY ($1)`,
);

/** Reads the state of the sources in use: pauses, delays and limits set by others, and how many runs share them. */
export function readSourceStates(db: Queryable, sourceIds: readonly string[]): Promise<WatchedSource[]> {
  return run(db, readStatement, [sourceIds]);
}

/** Longer delays are meant to keep crawlers away, which is what Disallow is for. */
const longestCrawlDelayMs = 60_000;

/** A source with several hosts keeps the longest delay: the row does not record whose it is. */
const recordStatement = statement<SourceState>(
  'record-crawl-delay',
  `
WITH changed AS (
  UPDATE sources source SET crawl_delay_ms = wanted.delay
  FROM (
    SELECT CASE WHEN cardinality(hosts) = 1 AND hosts[1] NOT LIKE '*%' THEN $2::integer
      ELSE greatest(crawl_delay_ms, $2::integer) END AS delay
    FROM sources WHERE id = $1
  ) wanted
  WHERE source.id = $1 AND source.crawl_delay_ms IS DISTINCT FROM wanted.delay
  RETURNING source
),
found AS (
  SELECT source FROM changed
  UNION ALL SELECT source FROM sources source WHERE id = $1 AND NOT EXISTS (SELECT FROM changed)
)
SELECT ${stateColumns} FROM found CROSS JOIN LATERAL source_state(found.source) state`,
);

/** Stores the Crawl-delay of a source's robots.txt for all workers; null: there is none. Writes only changes. */
export async function recordCrawlDelay(
  db: Queryable,
  sourceId: string,
  seconds: number | null,
): Promise<SourceState | undefined> {
  const delayMs =
    seconds === null ? null : Math.round(Math.min(Math.max(seconds * 1000, 0), longestCrawlDelayMs));
  const [state] = await run(db, recordStatement, [sourceId, delayMs]);
  return state;
}
