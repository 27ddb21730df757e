import type { ListedIntake } from '@holdfast/contract';
import pg from 'pg';
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

export interface IntakePage {
  readonly rows: ListedIntake[];
  /** Where to go on; null at the end. */
  readonly next: string | null;
}

/** Nobody can tell 1,000 prices from 2,000 in a list. */
const countedPoints = 1_000;
/** No list reads more intakes than this; it answers with what it found among them, and where to go on. */
const maxScanned = 20_000;

type Row = Omit<ListedIntake, 'valuation'> & {
  readonly valuation: Omit<NonNullable<ListedIntake['valuation']>, 'valued_at'> | null;
  readonly valued_at: Date | null;
  readonly scanned_to: string | null;
};

/**
 * Newest first; valuations and counts by their keys, and only of the intakes that are shown. The text differs with the filter,
 * and names the limit and the tag: prepared plans are made without values (session-settings.ts), and would neither see the
 * worth of a LIMIT nor know a tag that most have from one that few have.
 */
export async function listIntakes(db: Queryable, filter: IntakeFilter): Promise<IntakePage> {
  const limit = Math.trunc(filter.limit);
  const values: unknown[] = [];
  const { indexed, others } = conditions(filter, (value, type) => `$${values.push(value)}::${type}`);
  const where = (list: readonly string[]) => (list.length > 0 ? `WHERE ${list.join(' AND ')}` : '');
  const bounded = others.length > 0;
  const scanned = bounded
    ? `SELECT intake.id FROM intakes intake ${where(indexed)} ORDER BY intake.id DESC OFFSET ${maxScanned - 1} LIMIT 1`
    : 'SELECT NULL::uuid AS id';
  const within = bounded ? [`intake.id >= coalesce((SELECT id FROM scanned), '${nil}')`] : [];
  const text = `
WITH scanned AS MATERIALIZED (${scanned}),
shown AS MATERIALIZED (
  SELECT intake.* FROM intakes intake ${where([...indexed, ...others, ...within])} ORDER BY intake.id DESC LIMIT ${limit + 1}
)
SELECT scanned.id AS scanned_to, ${intakeColumns}, (
    SELECT count(*) FROM (SELECT FROM price_points WHERE intake_id = intake.id LIMIT ${countedPoints}) point
  ) AS points,
  CASE WHEN valuation.intake_id IS NOT NULL THEN jsonb_build_object('currency', valuation.currency,
    'median', valuation.median::text, 'confidence', valuation.confidence) END AS valuation, valuation.valued_at
FROM (SELECT) AS one LEFT JOIN scanned ON true LEFT JOIN shown intake ON true
LEFT JOIN LATERAL (SELECT * FROM valuations WHERE intake_id = intake.id OFFSET 0) valuation ON true
ORDER BY intake.id DESC`;
  const { rows: found } = await db.query<Row>({ text, values });
  const scannedTo = found[0]?.scanned_to ?? null;
  const rows = found
    .filter(({ id }) => id !== null)
    .slice(0, limit)
    .map(({ valuation, valued_at, scanned_to: _, ...intake }) => ({
      ...intake,
      valuation: valuation && valued_at && { ...valuation, valued_at },
    }));
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : scannedTo };
}

const nil = '00000000-0000-0000-0000-000000000000';

/**
 * `indexed`: an index leads to their rows, the newest first, and to few others. `others`: rows must be read to know. Only
 * one index leads; what it does not know is read from its rows.
 */
function conditions(
  { owner, tag, reference, search, valued, confidence, after }: IntakeFilter,
  bind: (value: unknown, type: string) => string,
): { indexed: string[]; others: string[] } {
  const [lead, ...others] = [
    ...(reference === undefined ? [] : [`intake.reference = ${bind(reference, 'text')}`]),
    ...(tag === undefined ? [] : [`intake.tags @> ARRAY[${pg.escapeLiteral(tag)}] AND intake.tags <> '{}'`]),
    ...(owner === undefined ? [] : [`intake.user_id = ${bind(owner, 'text')}`]),
    ...(valued === undefined ? [] : [`intake.confidence IS ${valued ? 'NOT NULL' : 'NULL'}`]),
  ];
  if (search !== undefined)
    others.push(`position(lower(${bind(search, 'text')}) IN lower(intake.title)) > 0`);
  if (confidence !== undefined) others.push(`intake.confidence >= ${bind(confidence, 'smallint')}`);
  const indexed = lead === undefined ? [] : [lead];
  if (after !== undefined) indexed.push(`intake.id < ${bind(after, 'uuid')}`);
  return { indexed, others };
}
