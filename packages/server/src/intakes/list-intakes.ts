import type { ListedIntake } from '@holdfast/contract';
import { type Queryable, run, statement } from '../database/statement.ts';
import { intakeColumns } from './find-intake.ts';

export interface IntakeFilter {
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  readonly reference?: string | undefined;
  /** Part of the title, in any case. */
  readonly search?: string | undefined;
  /** Whether it has a valuation. */
  readonly valued?: boolean | undefined;
  readonly confidence?: number | undefined;
  /** Id of the last intake of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Nobody can tell 1,000 prices from 2,000 in a list. */
const countedPoints = 1_000;

type Row = Omit<ListedIntake, 'valuation'> & {
  readonly valuation: Omit<NonNullable<ListedIntake['valuation']>, 'valued_at'> | null;
  readonly valued_at: Date | null;
};

/** Valuations and counts by their keys, and only of the intakes that are shown. Money is text from the database on. */
const listStatement = statement<Row>(
  'list-intakes',
  `
SELECT ${intakeColumns}, (
    SELECT count(*) FROM (SELECT FROM price_points WHERE intake_id = intake.id LIMIT ${countedPoints}) point
  ) AS points,
  CASE WHEN valuation.intake_id IS NOT NULL THEN jsonb_build_object('currency', valuation.currency,
    'median', valuation.median::text, 'confidence', valuation.confidence) END AS valuation, valuation.valued_at
FROM intakes intake LEFT JOIN valuations valuation ON valuation.intake_id = intake.id
WHERE ($1::text IS NULL OR user_id = $1) AND ($2::text IS NULL OR tags @> ARRAY[$2])
  AND ($3::text IS NULL OR reference = $3) AND ($4::text IS NULL OR position(lower($4) IN lower(title)) > 0)
  AND ($5::uuid IS NULL OR id < $5) AND ($6::boolean IS NULL OR (valuation.intake_id IS NOT NULL) = $6)
  AND ($7::smallint IS NULL OR valuation.confidence >= $7)
ORDER BY id DESC LIMIT $8`,
);

/** Newest first. */
export async function listIntakes(db: Queryable, filter: IntakeFilter): Promise<ListedIntake[]> {
  const { owner, tag, reference, search, valued, confidence, after, limit } = filter;
  const rows = await run(db, listStatement, [
    owner,
    tag,
    reference,
    search,
    after,
    valued,
    confidence,
    limit,
  ]);
  return rows.map(({ valuation, valued_at, ...intake }) => ({
    ...intake,
    valuation: valuation && valued_at && { ...valuation, valued_at },
  }));
}
