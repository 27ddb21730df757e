import type { BreakerState } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { hostPatterns } from './host-patterns.ts';
import { breakerState } from './source.ts';

/** How a host is treated now. */
export interface HostSource {
  readonly host: string;
  readonly source_id: string;
  readonly delay_ms: number;
  readonly rate_limit_per_minute: number | null;
  readonly concurrency: number;
  readonly slowdown: number;
  readonly pace_per_minute: number | null;
  readonly breaker: BreakerState;
  readonly paused: boolean;
  /** Null while paused: until an operator does something about it. */
  readonly paused_until: Date | null;
  /** When the next request may start; null: not before an operator does something about it. */
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

/** The sources of hosts, as openSources would find them; hosts that have none yet are left out, and none is made. */
export function findSources(db: Queryable, hosts: readonly string[]): Promise<HostSource[]> {
  const asked = hosts.flatMap((host) => hostPatterns(host).map((pattern, rank) => ({ host, pattern, rank })));
  return run(db, findStatement, [
    asked.map(({ host }) => host),
    asked.map(({ pattern }) => pattern),
    asked.map(({ rank }) => rank),
  ]);
}
