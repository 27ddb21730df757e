import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** A pool, or a client inside a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>>;
}

/** Static SQL text under the name it has in logs and in PostgreSQL's cache of prepared statements. */
export interface Statement<Row extends QueryResultRow> {
  readonly name: string;
  readonly text: string;
  /** Carries the type of the row; never set. */
  readonly row?: Row;
}

export function statement<Row extends QueryResultRow>(name: string, text: string): Statement<Row> {
  return { name, text };
}

/** deadlock_detected and serialization_failure: PostgreSQL undid the statement whole, so repeating it is safe. */
const undone = new Set(['40P01', '40001']);
const repeats = 5;

export async function run<Row extends QueryResultRow>(
  db: Queryable,
  { name, text }: Statement<Row>,
  values: unknown[] = [],
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.query<Row>({ name, text, values })).rows;
    } catch (error) {
      if (attempt === repeats || !undone.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}
