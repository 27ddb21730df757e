import type { ListedIntake } from '@holdfast/contract';
import pg from 'pg';
import { boundedSearch, containsText, type SearchPage } from '../../base/database/bounded-search.ts';
import type { Queryable } from '../../base/database/statement.ts';
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
/** Of the intakes that are shown alone, each by its key. */
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
 * Newest first. The text differs with the filter, and names the limit and the tag: prepared plans are made without values
 * (session-settings.ts), and would neither see the worth of a LIMIT nor know a tag that most have from one that few have.
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
  if (search !== undefined) others.push(containsText('intake.title', bind(search, 'text')));
  if (confidence !== undefined) others.push(`intake.confidence >= ${bind(confidence, 'smallint')}`);
  const indexed = lead === undefined ? [] : [lead];
  if (after !== undefined) indexed.push(`intake.id < ${bind(after, 'uuid')}`);
  return { indexed, others };
}
