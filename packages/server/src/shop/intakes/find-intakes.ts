import { HoldfastError, type Intake, type ListedIntake } from '@holdfast/contract';
import pg from 'pg';
import { boundedSearch, containsText, type SearchPage } from '../../base/database/bounded-search.ts';
import { isId, notFound } from '../../base/database/ids.ts';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';

/** The columns of an Intake, read from the alias `intake`. */
export const intakeColumns = `intake.id, intake.user_id, intake.reference, intake.title, intake.attributes,
  intake.must_agree, intake.currency, intake.tags, intake.created_at, intake.updated_at`;

const findStatement = statement<Intake>(
  'find-intake',
  `SELECT ${intakeColumns} FROM intakes intake WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)`,
);

/** With an owner, finds only theirs. */
export async function findIntake(db: Queryable, id: string, owner?: string): Promise<Intake> {
  const [intake] = isId(id) ? await run(db, findStatement, [id, owner]) : [];
  if (!intake) throw notFound('intake_not_found', id);
  return intake;
}

const lockStatement = statement<Intake>(
  'lock-intake',
  `SELECT ${intakeColumns} FROM intakes intake WHERE id = $1 AND ($2::text IS NULL OR user_id = $2)
   FOR NO KEY UPDATE`,
);

/**
 * Like findIntake, and locks it until the transaction ends. Everything that changes the basis of a valuation holds this lock, or two
 * changes at once would each miss the other.
 */
export async function lockIntake(db: Queryable, id: string, owner?: string): Promise<Intake> {
  const [intake] = isId(id) ? await run(db, lockStatement, [id, owner]) : [];
  if (!intake) throw notFound('intake_not_found', id);
  return intake;
}

const ofJobStatement = statement<Intake>(
  'intake-of-job',
  `SELECT ${intakeColumns} FROM crawl_jobs job
   JOIN intakes intake ON intake.id = job.intake_id AND intake.user_id = job.user_id WHERE job.id = $1`,
);

/** The intake of a collect job, if it has the same owner. */
export async function findIntakeOf(db: Queryable, { id, payload }: ClaimedJob): Promise<Intake> {
  const [intake] = await run(db, ofJobStatement, [id]);
  if (!intake) throw new HoldfastError('intake_not_found', String(payload.intake_id ?? ''));
  return intake;
}

export interface IntakeFilter {
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  readonly reference?: string | undefined;
  /** Part of the title, in any case. */
  readonly search?: string | undefined;
  /** Whether it has a valuation. */
  readonly valued?: boolean | undefined;
  readonly confidence?: number | undefined;
  /** Cursor: id of the last intake on the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Counting stops here; a list needs no more exact number. */
const countedPoints = 1_000;
/** Computed only for the intakes of the page, each by its key. */
const columns = `${intakeColumns}, (
    SELECT count(*) FROM (SELECT FROM price_points WHERE intake_id = intake.id LIMIT ${countedPoints}) point
  ) AS points, (
    SELECT jsonb_build_object('currency', currency, 'median', median::text, 'confidence', confidence)
    FROM valuations WHERE intake_id = intake.id
  ) AS valuation, (SELECT valued_at FROM valuations WHERE intake_id = intake.id) AS valued_at`;

type Row = Omit<ListedIntake, 'valuation'> & {
  readonly valuation: Omit<NonNullable<ListedIntake['valuation']>, 'valued_at'> | null;
  readonly valued_at: Date | null;
};

/**
 * Newest first. The text depends on the filter and contains limit and tag literally: prepared plans are made without values
 * (session-settings.ts) and could neither use a LIMIT nor tell a common tag from a rare one.
 */
export async function listIntakes(db: Queryable, filter: IntakeFilter): Promise<SearchPage<ListedIntake>> {
  const limit = Math.trunc(filter.limit);
  const values: unknown[] = [];
  const { indexed, others } = conditions(filter, (value, type) => `$${values.push(value)}::${type}`);
  const where = indexed.length > 0 ? `WHERE ${indexed.join(' AND ')}` : '';
  const { rows, next } = await boundedSearch<Row>(db, {
    alias: 'intake',
    candidates: (wanted, count) =>
      `SELECT ${wanted} FROM intakes intake ${where} ORDER BY id DESC LIMIT ${count}`,
    conditions: others,
    columns,
    limit,
    values,
  });
  return {
    rows: rows.map(({ valuation, valued_at, ...intake }) => ({
      ...intake,
      valuation: valuation && valued_at && { ...valuation, valued_at },
    })),
    next,
  };
}

/** `indexed`: the one condition that leads the index scan, newest first. `others`: conditions that need the row. */
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
  if (search !== undefined) others.push(containsText('intake.title', bind(search, 'text')));
  if (confidence !== undefined) others.push(`intake.confidence >= ${bind(confidence, 'smallint')}`);
  const indexed = lead === undefined ? [] : [lead];
  if (after !== undefined) indexed.push(`intake.id < ${bind(after, 'uuid')}`);
  return { indexed, others };
}
