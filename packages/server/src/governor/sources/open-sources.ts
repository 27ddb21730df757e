import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hostPatterns } from './host-patterns.ts';
import { type SourceState, stateColumns } from './source-state.ts';

export interface OpenedSource extends SourceState {
  readonly host: string;
}

/** Two workers that meet a new host at once make the same id, so one of them makes the row and the other finds it. */
const openStatement = statement<OpenedSource>(
  'open-sources',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]) AS asked (host, pattern, rank)
),
configured AS MATERIALIZED (
  SELECT DISTINCT ON (asked.host) asked.host, source
  FROM asked JOIN sources source ON source.configured AND source.hosts @> ARRAY[asked.pattern]
  ORDER BY asked.host, asked.rank, source.id
),
unknown AS MATERIALIZED (
  SELECT DISTINCT host FROM asked WHERE host NOT IN (SELECT host FROM configured)
),
known AS MATERIALIZED (
  SELECT host, source FROM unknown JOIN sources source ON source.id = 'host:' || host
),
made AS (
  INSERT INTO sources AS source (id, name, hosts)
  SELECT 'host:' || host, host, ARRAY[host] FROM unknown WHERE host NOT IN (SELECT host FROM known) ORDER BY host
  ON CONFLICT DO NOTHING
  RETURNING name AS host, source
),
slot AS (
  INSERT INTO source_slots (source_id) SELECT (source).id FROM made
),
share AS (
  INSERT INTO source_shares (source_id) SELECT (source).id FROM made
)
SELECT host, ${stateColumns}
FROM (SELECT * FROM configured UNION ALL SELECT * FROM known UNION ALL SELECT * FROM made) found
CROSS JOIN LATERAL source_state(found.source) state`,
);

/** The source of each host: the configured one with the closest pattern, else one of the host's own, made if need be. */
export async function openSources(db: Queryable, hosts: readonly string[]): Promise<OpenedSource[]> {
  const opened: OpenedSource[] = [];
  let left = [...new Set(hosts)];
  // A row that another worker is making is not seen by the statement that ran into it, but by the next.
  while (left.length > 0) {
    const asked = left.flatMap((host) =>
      hostPatterns(host).map((pattern, rank) => ({ host, pattern, rank })),
    );
    const rows = await run(db, openStatement, [
      asked.map(({ host }) => host),
      asked.map(({ pattern }) => pattern),
      asked.map(({ rank }) => rank),
    ]);
    opened.push(...rows);
    const found = new Set(rows.map(({ host }) => host));
    left = left.filter((host) => !found.has(host));
  }
  return opened;
}
