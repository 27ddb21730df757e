import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from './source-state.ts';

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

/** Where the sources in use stand: pauses, delays and limits that others set, and how many runs share them. */
export function readSourceStates(db: Queryable, sourceIds: readonly string[]): Promise<WatchedSource[]> {
  return run(db, readStatement, [sourceIds]);
}
