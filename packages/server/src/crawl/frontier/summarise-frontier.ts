import type { FrontierSummary } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { findSources } from '../../governor/sources/open-sources.ts';

interface HostRow {
  readonly host: string;
  readonly pending: number;
  readonly done: number;
  readonly hosts: number;
  readonly looked_at: number;
  /** When the first of its next URLs may be requested; null: now. */
  readonly not_before: Date | null;
}

/** Hosts of a crawl that one call scans. */
const scanLimit = 20_000;
/** URLs of a host scanned for one that may be requested now. */
const lookAhead = 100;

const pendingStatement = statement<{ total_pending: number }>(
  'count-frontier',
  'SELECT total_pending FROM crawl_states WHERE job_id = $1',
);

const frontierHostsStatement = statement<HostRow>(
  'summarise-frontier',
  `
WITH known AS MATERIALIZED (
  SELECT host, pending, done, low_seq, count(*) OVER () AS looked_at FROM (
    SELECT host, pending, done, low_seq FROM crawl_hosts WHERE job_id = $1 ORDER BY host LIMIT ${scanLimit}
  ) host
),
largest AS MATERIALIZED (
  SELECT *, count(*) OVER () AS hosts FROM known WHERE pending > 0 ORDER BY pending DESC, host LIMIT $2
)
SELECT largest.host, pending, done, hosts, looked_at, nullif(next.not_before, '-infinity') AS not_before
FROM largest CROSS JOIN LATERAL (
  SELECT min(coalesce(not_before, '-infinity')) AS not_before FROM (
    SELECT not_before FROM crawl_frontier
    WHERE job_id = $1 AND host = largest.host AND seq >= largest.low_seq ORDER BY seq LIMIT ${lookAhead}
  ) url
) next
ORDER BY pending DESC, host`,
);

const untouched = {
  source_id: null,
  delay_ms: 0,
  rate_limit_per_minute: null,
  concurrency: 8,
  slowdown: 1,
  pace_per_minute: null,
  breaker: 'closed',
  paused: false,
  paused_until: null,
} as const;

/** What is left of a crawl by host: how much, and when and how fast it may be fetched. */
export async function summariseFrontier(
  db: Queryable,
  jobId: string,
  limit: number,
): Promise<FrontierSummary> {
  const [[state], hosts] = await Promise.all([
    run(db, pendingStatement, [jobId]),
    run(db, frontierHostsStatement, [jobId, limit]),
  ]);
  const names = hosts.map(({ host }) => host);
  const found = new Map((await findSources(db, names)).map((source) => [source.host, source]));
  const now = new Date();
  return {
    total_pending: state?.total_pending ?? 0,
    hosts: hosts[0]?.hosts ?? 0,
    hosts_exact: (hosts[0]?.looked_at ?? 0) < scanLimit,
    data: hosts.map(({ host, pending, done, not_before }) => {
      const { next_slot_at, ...source } = found.get(host) ?? { ...untouched, next_slot_at: now };
      return { pending, done, ...source, host, next_ready_at: later(next_slot_at, not_before) };
    }),
  };
}

/** The later of the two; a null slot means never. */
function later(slot: Date | null, notBefore: Date | null): Date | null {
  return slot && notBefore && notBefore > slot ? notBefore : slot;
}
