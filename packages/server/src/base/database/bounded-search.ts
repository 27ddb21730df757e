import type { Queryable } from './statement.ts';

/** One page of a list that is read newest first. */
export interface SearchPage<Row> {
  readonly rows: Row[];
  /** The cursor of the next page; null at the end. A short page with a cursor has examined as many rows as one call may. */
  readonly next: string | null;
}

/** Rows that one call examines per row asked for, however large the table is, and its minimum. */
const examinedPerRow = 30;
const leastExamined = 1_500;

export interface BoundedSearch {
  readonly alias: string;
  /** The first `count` rows in question, newest first, in the order of an index. */
  readonly candidates: (columns: '*' | 'id', count: number) => string;
  /** Conditions that only the rows themselves can answer. Without any, every candidate is a match. */
  readonly conditions: readonly string[];
  readonly columns: string;
  readonly limit: number;
  /** How many times dearer than usual it is to reach a candidate; that many times fewer are examined. */
  readonly cost?: number;
  /** The parameters of the statement. */
  readonly values: unknown[];
}

/** Reads one page, newest first, at a cost that does not grow with the table. The statement is not prepared. */
export async function boundedSearch<Row extends { id: string }>(
  db: Queryable,
  search: BoundedSearch,
): Promise<SearchPage<Row>> {
  const { rows: found } = await db.query<Row & { examined_to: string | null }>({
    text: searchText(search),
    values: search.values,
  });
  const examinedTo = found[0]?.examined_to ?? null;
  const all = found
    .filter(({ id }) => id !== null)
    .map(({ examined_to: _, ...row }) => row as unknown as Row);
  const rows = all.slice(0, search.limit);
  return { rows, next: all.length > search.limit ? (rows.at(-1)?.id ?? null) : examinedTo };
}

/**
 * Selects the matches, one more than the limit if there are more, each with the id of the last row examined; one row of nulls
 * if there is none. That id is looked up only if the matches do not fill the page, which they often do at once.
 */
function searchText({ alias, candidates, conditions, columns, limit, cost = 1 }: BoundedSearch): string {
  const isBounded = conditions.length > 0;
  const most = isBounded ? Math.max(leastExamined, examinedPerRow * limit) / cost : limit + 1;
  const where = isBounded ? `WHERE ${conditions.join(' AND ')}` : '';
  const end = isBounded
    ? `(SELECT id FROM (${candidates('id', most)}) examined ORDER BY id DESC OFFSET ${most - 1} LIMIT 1)`
    : 'NULL::uuid';
  return `
WITH found AS MATERIALIZED (
  SELECT ${columns} FROM (${candidates('*', most)}) ${alias} ${where} ORDER BY ${alias}.id DESC LIMIT ${limit + 1}
)
SELECT found.*, CASE WHEN (SELECT count(*) FROM found) <= ${limit} THEN ${end} END AS examined_to
FROM (SELECT) AS one LEFT JOIN found ON true ORDER BY found.id DESC`;
}

/** The condition that a column contains a text, ignoring case. The text is lowered once, not for each row. */
export function containsText(column: string, text: string): string {
  return `strpos(lower(${column}), (SELECT lower(${text}))) > 0`;
}
