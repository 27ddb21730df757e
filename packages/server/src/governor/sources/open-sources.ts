import type { BreakerState } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { breakerState } from './source.ts';
import { type SourceState, stateColumns } from './source-state.ts';

interface OpenedSource extends SourceState {
  readonly host: string;
}

/** Two workers that meet a new host at the same time use the same id: one inserts the row, the other finds it. */
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

/** Returns the source of each host: the configured one with the most specific pattern, or the host's own, created if missing. */
export async function openSources(db: Queryable, hosts: readonly string[]): Promise<OpenedSource[]> {
  const opened: OpenedSource[] = [];
  let left = [...new Set(hosts)];
  // A row inserted concurrently is invisible to the statement that conflicted with it, but not to the next one.
  while (left.length > 0) {
    const rows = await run(db, openStatement, patternParameters(left));
    opened.push(...rows);
    const found = new Set(rows.map(({ host }) => host));
    left = left.filter((host) => !found.has(host));
  }
  return opened;
}

/** The limits and pauses of a host at this moment. */
interface HostSource {
  readonly host: string;
  readonly source_id: string;
  readonly delay_ms: number;
  readonly rate_limit_per_minute: number | null;
  readonly concurrency: number;
  readonly slowdown: number;
  readonly pace_per_minute: number | null;
  readonly breaker: BreakerState;
  readonly paused: boolean;
  /** Null while paused: until an operator resumes it. */
  readonly paused_until: Date | null;
  /** When the next request may start; null: not before an operator resumes it. */
  readonly next_slot_at: Date | null;
}

const findStatement = statement<HostSource>(
  'find-sources',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]) AS asked (host, pattern, rank)
),
configured AS MATERIALIZED (
  SELECT DISTINCT ON (asked.host) asked.host, source.id
  FROM asked JOIN sources source ON source.configured AND source.hosts @> ARRAY[asked.pattern]
  ORDER BY asked.host, asked.rank, source.id
),
found AS MATERIALIZED (
  SELECT * FROM configured
  UNION ALL
  SELECT DISTINCT host, 'host:' || host FROM asked WHERE host NOT IN (SELECT host FROM configured)
)
SELECT found.host, state.source_id, state.interval_ms AS delay_ms, source.rate_limit_per_minute, state.concurrency,
  state.slowdown, state.pace_per_minute, ${breakerState} AS breaker, state.paused_until_ms > epoch_ms(now()) AS paused,
  CASE WHEN isfinite(source.paused_until) AND source.paused_until > now() AND source.enabled
    THEN source.paused_until END AS paused_until,
  CASE WHEN state.paused_until_ms < 'Infinity' THEN greatest(nullif(slot.next_slot_at, '-infinity'), source.paused_until,
    source.created_at) END AS next_slot_at
FROM found JOIN sources source ON source.id = found.id LEFT JOIN source_slots slot ON slot.source_id = source.id
CROSS JOIN LATERAL source_state(source) state`,
);

/** Returns the sources that openSources would, but creates none: hosts without a source are left out. */
export function findSources(db: Queryable, hosts: readonly string[]): Promise<HostSource[]> {
  return run(db, findStatement, patternParameters(hosts));
}

/** Three arrays: each host once for each of its patterns, the patterns, and their ranks. */
function patternParameters(hosts: readonly string[]): [string[], string[], number[]] {
  const asked = hosts.flatMap((host) => hostPatterns(host).map((pattern, rank) => ({ host, pattern, rank })));
  return [asked.map(({ host }) => host), asked.map(({ pattern }) => pattern), asked.map(({ rank }) => rank)];
}

/**
 * The patterns that match a host, the most specific first: `a.b.org:8080`, `a.b.org`, `*.b.org`, `*.org`. Wildcards do not
 * match IP addresses.
 */
export function hostPatterns(host: string): string[] {
  const name = host.replace(/:\d+$/, '');
  const exact = name === host ? [host] : [host, name];
  if (name.startsWith('[') || /^[\d.]+$/.test(name)) return exact;
  const labels = name.split('.');
  return [...exact, ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`)];
}
