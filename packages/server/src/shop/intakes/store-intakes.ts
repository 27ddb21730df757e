import type { Intake, intakeRequest } from '@holdfast/contract';
import type { z } from 'zod';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { intakeColumns } from './find-intake.ts';

export interface StoredIntake extends Intake {
  /** False: an intake of the same reference was there, and is changed. */
  readonly is_new: boolean;
}

/** Ids are in the order given; rows are stored in the order of their references, so that two imports cannot block each other. */
const storeStatement = statement<StoredIntake & { position: number }>(
  'store-intakes',
  `
WITH given AS MATERIALIZED (
  SELECT * FROM (
    SELECT uuid_v7() AS id, * FROM jsonb_to_recordset($2::jsonb) AS given (position integer, reference text, title text,
      attributes jsonb, must_agree text[], currency text, tags text[])
    ORDER BY position
  ) numbered
  ORDER BY reference, position
),
stored AS (
  INSERT INTO intakes AS intake (id, user_id, reference, title, attributes, must_agree, currency, tags)
  SELECT id, $1, reference, title, attributes, must_agree, currency, tags FROM given
  ON CONFLICT (user_id, reference) DO UPDATE SET title = excluded.title, attributes = excluded.attributes,
    must_agree = excluded.must_agree, currency = excluded.currency, tags = excluded.tags, updated_at = now()
  RETURNING ${intakeColumns}, xmax = 0 AS is_new
)
SELECT stored.*, given.position FROM stored
JOIN given ON given.id = stored.id OR given.reference = stored.reference
ORDER BY given.position`,
);

/** Stores intakes of an owner, those of a known reference over what was there. In the order given. */
export async function storeIntakes(
  db: Queryable,
  owner: string,
  requests: readonly z.output<typeof intakeRequest>[],
): Promise<StoredIntake[]> {
  const given = requests.map((request, position) => ({ ...request, position }));
  const rows = await run(db, storeStatement, [owner, JSON.stringify(given)]);
  return rows.map(({ position: _, ...intake }) => intake);
}
