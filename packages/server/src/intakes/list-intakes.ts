import type { Intake } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { intakeColumns } from './find-intake.ts';

export interface IntakeFilter {
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  readonly reference?: string | undefined;
  /** Part of the title, in any case. */
  readonly search?: string | undefined;
  /** Id of the last intake of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const listStatement = statement<Intake>(
  'list-intakes',
  `
SELECT ${intakeColumns} FROM intakes intake
WHERE ($1::text IS NULL OR user_id = $1) AND ($2::text IS NULL OR tags @> ARRAY[$2])
  AND ($3::text IS NULL OR reference = $3) AND ($4::text IS NULL OR position(lower($4) IN lower(title)) > 0)
  AND ($5::uuid IS NULL OR id < $5)
ORDER BY id DESC LIMIT $6`,
);

/** Newest first. */
export function listIntakes(db: Queryable, filter: IntakeFilter): Promise<Intake[]> {
  const { owner, tag, reference, search, after, limit } = filter;
  return run(db, listStatement, [owner, tag, reference, search, after, limit]);
}
