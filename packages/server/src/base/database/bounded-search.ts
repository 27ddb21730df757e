/** A part of a list that is read newest first. */
export interface SearchPage<Row> {
  readonly rows: Row[];
  /** Where to go on; null at the end. A page that is not full, and has it, looked at as many rows as one call may. */
  readonly next: string | null;
}

/** Rows that one call looks at for each row that it is asked for, whatever the size of the table; and at the least. */
const lookedAtForEach = 30;
const leastLookedAt = 1_500;

export interface Look {
  readonly alias: string;
  /** The first so many rows in question, newest first, as an index leads to them. */
  readonly candidates: (columns: '*' | 'id', count: number) => string;
  /** What only the rows themselves tell. Without any, every candidate is found. */
  readonly conditions: readonly string[];
  readonly columns: string;
  readonly limit: number;
  /** How much more than usual it costs to come to a candidate; that many times fewer are looked at. */
  readonly cost?: number;
}

/**
 * The rows found, one more than the limit if there are more, each with the id of the last row that was looked at; one row of
 * nulls if none is found. Where to go on is asked only if the rows found do not tell it: they often are the very first.
 */
export function lookThrough({ alias, candidates, conditions, columns, limit, cost = 1 }: Look): string {
  const isBounded = conditions.length > 0;
  const most = isBounded ? Math.max(leastLookedAt, lookedAtForEach * limit) / cost : limit + 1;
  const where = isBounded ? `WHERE ${conditions.join(' AND ')}` : '';
  const end = isBounded
    ? `(SELECT id FROM (${candidates('id', most)}) looked_at ORDER BY id DESC OFFSET ${most - 1} LIMIT 1)`
    : 'NULL::uuid';
  return `
WITH found AS MATERIALIZED (
  SELECT ${columns} FROM (${candidates('*', most)}) ${alias} ${where} ORDER BY ${alias}.id DESC LIMIT ${limit + 1}
)
SELECT found.*, CASE WHEN (SELECT count(*) FROM found) <= ${limit} THEN ${end} END AS looked_to
FROM (SELECT) AS one LEFT JOIN found ON true ORDER BY found.id DESC`;
}

/** The page of what `lookThrough` found. */
export function pageOf<Row extends { id: string }>(
  found: readonly (Row & { looked_to: string | null })[],
  limit: number,
): SearchPage<Row> {
  const lookedTo = found[0]?.looked_to ?? null;
  const all = found.filter(({ id }) => id !== null).map(({ looked_to: _, ...row }) => row as unknown as Row);
  const rows = all.slice(0, limit);
  return { rows, next: all.length > limit ? (rows.at(-1)?.id ?? null) : lookedTo };
}

/** Whether a column has this text somewhere, in any case. The text is lowered once, not for each row. */
export function hasPart(column: string, text: string): string {
  return `strpos(lower(${column}), (SELECT lower(${text}))) > 0`;
}
