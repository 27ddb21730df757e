import type { ListedIntake } from '@holdfast/contract';
import type { Queryable } from '../database/statement.ts';
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

const selectText = `
SELECT ${intakeColumns}, (
    SELECT count(*) FROM (SELECT FROM price_points WHERE intake_id = intake.id LIMIT ${countedPoints}) point
  ) AS points,
  CASE WHEN valuation.intake_id IS NOT NULL THEN jsonb_build_object('currency', valuation.currency,
    'median', valuation.median::text, 'confidence', valuation.confidence) END AS valuation, valuation.valued_at
FROM intakes intake
LEFT JOIN LATERAL (SELECT * FROM valuations WHERE intake_id = intake.id OFFSET 0) valuation ON true`;

/**
 * Newest first; valuations and counts by their keys, and only of the intakes that are shown. The text differs with the filter
 * and names the limit: prepared plans are made without values (session-settings.ts), and would value every intake first.
 */
export async function listIntakes(db: Queryable, filter: IntakeFilter): Promise<ListedIntake[]> {
  const { owner, tag, reference, search, valued, confidence, after, limit } = filter;
  const values: unknown[] = [];
  const given = (value: unknown, condition: (parameter: string) => string) =>
    value === undefined ? [] : [condition(`$${values.push(value)}`)];
  const conditions = [
    ...given(owner, (it) => `intake.user_id = ${it}::text`),
    ...given(tag, (it) => `intake.tags @> ARRAY[${it}::text]`),
    ...given(reference, (it) => `intake.reference = ${it}::text`),
    ...given(search, (it) => `position(lower(${it}::text) IN lower(intake.title)) > 0`),
    ...given(after, (it) => `intake.id < ${it}::uuid`),
    ...given(valued, (it) => `(valuation.intake_id IS NOT NULL) = ${it}::boolean`),
    ...given(confidence, (it) => `valuation.confidence >= ${it}::smallint`),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const text = `${selectText} ${where} ORDER BY intake.id DESC LIMIT ${Math.trunc(limit)}`;
  const { rows } = await db.query<Row>({ text, values });
  return rows.map(({ valuation, valued_at, ...intake }) => ({
    ...intake,
    valuation: valuation && valued_at && { ...valuation, valued_at },
  }));
}
