import { type Queryable, run, statement } from '../../base/database/statement.ts';

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

/** Gives a run's shares back before they expire. */
export async function releaseShares(
  db: Queryable,
  runId: string,
  sourceIds: readonly string[],
): Promise<void> {
  await run(db, releaseStatement, [runId, sourceIds]);
}
