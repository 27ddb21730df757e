import type { Count, Stats } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

const countLimit = 10_000;

interface Row {
  readonly enabled: boolean;
  readonly due: boolean;
  readonly failing: boolean;
  readonly count: number;
}

const text = (condition: string, order: string) => `
SELECT enabled, due, failing, count(*) AS count FROM (
  SELECT enabled, enabled AND next_run_at <= now() AS due, enabled AND failure_count > 0 AS failing FROM crawl_policies
  WHERE ${condition} ORDER BY ${order} LIMIT ${countLimit + 1}
) policy GROUP BY enabled, due, failing`;

const statements = {
  all: statement<Row>('count-policies', text('$1::text IS NULL', 'id')),
  owner: statement<Row>('count-own-policies', text('user_id = $1', 'kind, url')),
} as const;

/** Policies by what is to be known of them, up to a limit. */
export async function countPolicies(db: Queryable, userId: string | undefined): Promise<Stats['policies']> {
  const rows = await run(db, statements[userId === undefined ? 'all' : 'owner'], [userId]);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const countOf = (counts: (row: Row) => boolean): Count => ({
    count: rows.filter(counts).reduce((sum, { count }) => sum + count, 0),
    precision: total > countLimit ? 'at_least' : 'exact',
  });
  return {
    enabled: countOf(({ enabled }) => enabled),
    disabled: countOf(({ enabled }) => !enabled),
    due: countOf(({ due }) => due),
    failing: countOf(({ failing }) => failing),
  };
}
