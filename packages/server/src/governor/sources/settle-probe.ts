import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { type SourceState, stateColumns } from './source-state.ts';

/** `neither`: the probe told nothing (never sent, refused by us); the next worker may have it. */
export type ProbeResult = 'success' | 'failure' | 'neither';

const settleStatement = statement<SourceState>(
  'settle-probe',
  `
WITH settled AS (
  UPDATE sources source SET
    probe_by = NULL, probe_until = NULL,
    failure_streak = CASE $3 WHEN 'success' THEN 0 WHEN 'failure' THEN failure_streak + 1 ELSE failure_streak END,
    last_success_at = CASE $3 WHEN 'success' THEN now() ELSE last_success_at END,
    last_failure_at = CASE $3 WHEN 'failure' THEN now() ELSE last_failure_at END,
    failed_urls = CASE $3 WHEN 'success' THEN 0 ELSE failed_urls END,
    paused_until = CASE $3 WHEN 'success' THEN NULL
      WHEN 'failure' THEN now() + make_interval(secs => $4::float8) ELSE paused_until END,
    pause_reason = CASE $3 WHEN 'success' THEN NULL ELSE pause_reason END
  WHERE id = $1 AND probe_by = $2 AND pause_reason = 'failures'
  RETURNING source
)
SELECT ${stateColumns} FROM settled CROSS JOIN LATERAL source_state(settled.source) state`,
);

/** Closes the breaker, or opens it again. Changes nothing if the probe has lapsed and is someone else's by now. */
export async function settleProbe(
  db: Queryable,
  sourceId: string,
  token: string,
  result: ProbeResult,
  pauseSeconds: number,
): Promise<SourceState | undefined> {
  const [state] = await run(db, settleStatement, [sourceId, token, result, pauseSeconds]);
  return state;
}
