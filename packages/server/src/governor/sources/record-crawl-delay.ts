import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from './source-state.ts';

/** Longer ones are meant to keep crawlers away, which is what Disallow is for. */
const longestMs = 60_000;

/** Of a source with several hosts the longest delay stays, since the row cannot tell whose it is. */
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

/** Keeps the Crawl-delay of a source's robots.txt, for all workers; null: it asks for none. Unchanged, nothing is written. */
export async function recordCrawlDelay(
  db: Queryable,
  sourceId: string,
  seconds: number | null,
): Promise<SourceState | undefined> {
  const delayMs = seconds === null ? null : Math.round(Math.min(Math.max(seconds * 1000, 0), longestMs));
  const [state] = await run(db, recordStatement, [sourceId, delayMs]);
  return state;
}
