import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from '../sources/source-state.ts';

export interface Reservation extends SourceState {
  /** How many slots were reserved; 0: ask again when the next free one is near. */
  readonly count: number;
  /** The first reserved slot; without any, about when the next one is free. */
  readonly first_ms: number;
}

/*
 * Virtual scheduling: the row holds the time of the next free slot, and advancing it reserves the slots in between. A window
 * spans 0.1 s (1 to 50 slots) and ends at most 1 s ahead. A next slot further away than any reservation can place it dates
 * from before a limit was raised or the server's clock was set back.
 *
 * Commits of slots less than a second apart are asynchronous (0.42 ms instead of 0.59 with a fast fsync): what a crash of the
 * server can undo fits into the spacing (source_state). set_config instead of SET LOCAL: one round trip, and nothing stays on a
 * connection that a pooler passes on.
 */
const reserveStatement = statement<Reservation>(
  'reserve-slots',
  `
WITH source AS MATERIALIZED (
  SELECT state.*, least(greatest(floor(100 / nullif(interval_ms, 0)), 1), 50) AS count
  FROM sources source CROSS JOIN LATERAL source_state(source) state WHERE source.id = $1
),
reserved AS (
  UPDATE source_slots slot SET next_slot_at = CASE
      WHEN slot.next_slot_at > clock_timestamp() + make_interval(secs => 2 + interval_ms / 500)
        THEN clock_timestamp() + make_interval(secs => interval_ms / 1000)
      ELSE greatest(slot.next_slot_at, clock_timestamp()) END
    + make_interval(secs => (count * interval_ms + $2::float8) / 1000)
  FROM source
  WHERE slot.source_id = source.source_id AND interval_ms > 0
    AND pause_reason IS DISTINCT FROM 'failures' AND paused_until_ms <= epoch_ms(clock_timestamp())
    AND (slot.next_slot_at <= clock_timestamp() + interval '0.9 s'
      OR slot.next_slot_at > clock_timestamp() + make_interval(secs => 2 + interval_ms / 500))
  RETURNING epoch_ms(slot.next_slot_at) - count * interval_ms - $2 AS first_ms
)
SELECT ${stateColumns}, coalesce(reserved.first_ms, epoch_ms(slot.next_slot_at)) AS first_ms,
  CASE WHEN reserved.first_ms IS NULL THEN 0 ELSE state.count END AS count,
  CASE WHEN interval_ms < 1000 THEN set_config('synchronous_commit', 'off', true) END AS commit
FROM source state JOIN source_slots slot USING (source_id) LEFT JOIN reserved ON true`,
);

/**
 * Reserves the next slots of a source. `padMs` is added behind them, at the worker's expense, for its uncertainty about the
 * database's clock.
 */
export async function reserveSlots(
  db: Queryable,
  sourceId: string,
  padMs = 0,
): Promise<Reservation | undefined> {
  const [reservation] = await run(db, reserveStatement, [sourceId, padMs]);
  return reservation;
}
