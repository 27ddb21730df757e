import { type Queryable, run, statement } from '../../../base/database/statement.ts';

interface PriceDuplicate {
  readonly intake_id: string;
  readonly source_id: string;
  readonly dedupe_key: string;
  readonly count: number;
}

/** The question of the document on price collection; its answer is always: none. */
const duplicatesStatement = statement<PriceDuplicate>(
  'find-price-duplicates',
  `
SELECT intake_id, source_id, dedupe_key, count(*)::int AS count FROM price_points
GROUP BY intake_id, source_id, dedupe_key HAVING count(*) > 1`,
);

export function findPriceDuplicates(db: Queryable): Promise<PriceDuplicate[]> {
  return run(db, duplicatesStatement);
}
