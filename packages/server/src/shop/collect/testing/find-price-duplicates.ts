import { type Queryable, run, statement } from '../../../base/database/statement.ts';

interface PriceDuplicate {
  readonly intake_id: string;
  readonly source_id: string;
  readonly dedupe_key: string;
  readonly count: number;
}

/** The duplicate query of the price collection document. It must always return nothing. */
const duplicatesStatement = statement<PriceDuplicate>(
  'find-price-duplicates',
  `
SELECT intake_id, source_id, dedupe_key, count(*)::int AS count FROM price_points
GROUP BY intake_id, source_id, dedupe_key HAVING count(*) > 1`,
);

export function findPriceDuplicates(db: Queryable): Promise<PriceDuplicate[]> {
  return run(db, duplicatesStatement);
}
