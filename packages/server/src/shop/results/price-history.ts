import type { HistoricPrice } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';
import { priceChangeOf } from './price-changes.ts';

export interface HistoryOptions {
  /** Of the pages of this policy, or of the pages with this URL. */
  readonly of: { readonly policyId: string } | { readonly url: string };
  readonly owner?: string | undefined;
  readonly currency?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Id of the last result of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

const history = (name: string, of: string) =>
  statement<HistoricPrice>(
    name,
    `
SELECT id AS result_id, price::text AS price, currency, in_stock,
  ${priceChangeOf('crawl_results.id')} AS price_change, crawled_at FROM crawl_results
WHERE ${of} AND price IS NOT NULL AND currency IS NOT NULL
  AND ($2::text IS NULL OR user_id = $2) AND ($3::text IS NULL OR currency = $3)
  AND ($4::timestamptz IS NULL OR crawled_at >= $4) AND ($5::timestamptz IS NULL OR crawled_at < $5)
  AND ($6::uuid IS NULL OR id < $6)
ORDER BY id DESC LIMIT $7`,
  );

const ofPolicyStatement = history('price-history-of-policy', 'policy_id = $1');
const ofUrlStatement = history('price-history-of-url', 'md5(url) = md5($1) AND url = $1');

/** What a page cost over time, the newest first. */
export function priceHistory(db: Queryable, options: HistoryOptions): Promise<HistoricPrice[]> {
  const { of, owner, currency, since, until, after, limit } = options;
  const [found, thing] = 'url' in of ? [ofUrlStatement, of.url] : [ofPolicyStatement, of.policyId];
  return run(db, found, [thing, owner, currency, since, until, after, limit]);
}
