import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from './source-state.ts';

export interface ProbeAnswer extends SourceState {
  /** Whether the probe is ours; else another worker has it, or it is not time yet, or the breaker is closed. */
  readonly claimed: boolean;
  /** Not before this moment: the probe keeps to the limit too. */
  readonly first_ms: number;
}

const claimStatement = statement<ProbeAnswer>(
  'claim-probe',
  `
WITH claimed AS (
  UPDATE sources source SET probe_by = $2, probe_until = now() + make_interval(secs => $3::float8 / 1000)
  WHERE id = $1 AND enabled AND pause_reason = 'failures' AND paused_until <= now()
    AND (probe_until IS NULL OR probe_until <= now())
  RETURNING source
),
slot AS (
  UPDATE source_slots slot
  SET next_slot_at = greatest(slot.next_slot_at, clock_timestamp()) + make_interval(secs => interval_ms / 1000)
  FROM claimed CROSS JOIN LATERAL source_state(claimed.source) state WHERE slot.source_id = state.source_id
  RETURNING epoch_ms(slot.next_slot_at) - interval_ms AS first_ms
)
SELECT ${stateColumns}, slot.first_ms IS NOT NULL AS claimed, coalesce(slot.first_ms, 0) AS first_ms
FROM sources source CROSS JOIN LATERAL source_state(source) state LEFT JOIN slot ON true WHERE source.id = $1`,
);

/** Takes the one probe of a source whose pause for failures is over. It lapses by itself if it is not settled in time. */
export async function claimProbe(
  db: Queryable,
  sourceId: string,
  token: string,
  ttlMs: number,
): Promise<ProbeAnswer | undefined> {
  const [answer] = await run(db, claimStatement, [sourceId, token, ttlMs]);
  return answer;
}
