import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { SourceState } from '../sources/source-state.ts';

export interface RenewedShare extends SourceState {
  /** How many requests this run may have in flight until its share expires. */
  readonly share: number;
  /** Its fair share; more than `share` until others have released their excess. */
  readonly target: number;
  /** Runs with a live share, this one included. */
  readonly runs: number;
}

/*
 * A run takes its fair share as far as the others leave room. Requests that may be in flight until it reads the answer count
 * too, so that the sum never exceeds the source's concurrency: shares shrink before they grow. With more runs than concurrency
 * they take turns. A share that grew is committed synchronously, because a crash of the server must not grant it twice; mere
 * renewals are not. Runs are named job/fence: a later run of a job takes over from the earlier one, which is dead or has lost
 * its lease, without waiting for its share to expire.
 */
const renewSharesStatement = statement<RenewedShare>(
  'renew-shares',
  `
WITH asked AS MATERIALIZED (
  SELECT * FROM unnest($2::text[], $3::integer[]) AS asked (source_id, kept)
),
locked AS MATERIALIZED (
  SELECT source_id, runs FROM source_shares WHERE source_id = ANY ($2) ORDER BY source_id FOR NO KEY UPDATE
),
seat AS MATERIALIZED (
  SELECT state, state.concurrency, locked.source_id, kept, others.*, others.other_runs + 1 AS run_count,
    coalesce((locked.runs -> $1::text ->> 'share')::integer, 0) AS held
  FROM locked JOIN asked USING (source_id) JOIN sources source ON source.id = source_id
  CROSS JOIN LATERAL source_state(source) state
  CROSS JOIN LATERAL (
    SELECT count(*)::integer AS other_runs, coalesce(sum((value ->> 'share')::integer), 0)::integer AS taken,
      count(*) FILTER (WHERE key < $1)::integer AS position, coalesce(jsonb_object_agg(key, value), '{}') AS live
    FROM jsonb_each(locked.runs) WHERE key <> $1 AND (value ->> 'until')::float8 > epoch_ms(clock_timestamp())
      AND (split_part(key, '/', 1) = split_part($1, '/', 1)
        AND nullif(split_part(key, '/', 2), '')::bigint < nullif(split_part($1, '/', 2), '')::bigint) IS NOT TRUE
  ) others
),
fair AS (
  SELECT *, concurrency / run_count + CASE WHEN
    (position + CASE WHEN run_count > concurrency THEN concurrency * floor(extract(epoch FROM now()) / $5::float8)::bigint ELSE 0 END)
      % run_count < concurrency % run_count THEN 1 ELSE 0 END AS target
  FROM seat
),
granted AS MATERIALIZED (
  SELECT *, greatest(0, least(target, concurrency - taken)) AS share FROM fair
),
written AS (
  UPDATE source_shares shares SET runs = live || jsonb_build_object($1::text, jsonb_build_object(
    'share', greatest(share, kept), 'until', epoch_ms(clock_timestamp()) + $4::float8))
  FROM granted WHERE shares.source_id = granted.source_id
)
SELECT (granted.state).*, epoch_ms(clock_timestamp()) AS now_ms, share, target, run_count AS runs,
  CASE WHEN NOT bool_or(share > held) OVER () THEN set_config('synchronous_commit', 'off', true) END AS commit
FROM granted`,
);

/** Takes or renews a run's shares of sources for `ttlMs`. The shares of a dead run expire. */
export function renewShares(
  db: Queryable,
  runId: string,
  seats: readonly {
    readonly sourceId: string;
    /** The maximum in flight before the answer is read. */
    readonly kept: number;
  }[],
  ttlMs: number,
  turnSeconds = 5,
): Promise<RenewedShare[]> {
  const sourceIds = seats.map(({ sourceId }) => sourceId);
  const kept = seats.map((seat) => seat.kept);
  return run(db, renewSharesStatement, [runId, sourceIds, kept, ttlMs, turnSeconds]);
}

const releaseStatement = statement<{ source_id: string }>(
  'release-shares',
  `
WITH locked AS MATERIALIZED (
  SELECT source_id FROM source_shares WHERE source_id = ANY ($2) ORDER BY source_id FOR NO KEY UPDATE
)
UPDATE source_shares shares SET runs = runs - $1::text
FROM locked WHERE shares.source_id = locked.source_id AND runs ? $1
RETURNING shares.source_id`,
);

/** Releases a run's shares before they expire. */
export async function releaseShares(
  db: Queryable,
  runId: string,
  sourceIds: readonly string[],
): Promise<void> {
  await run(db, releaseStatement, [runId, sourceIds]);
}
