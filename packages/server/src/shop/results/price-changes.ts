import type { ChangedPrice, HistoricPrice } from '@holdfast/contract';
import { type Queryable, run, statement } from '../../base/database/statement.ts';

/** SQL: the previous price of a result's page if it was different, else null. */
export const priceChangeOf = (resultId: string) => `(
    SELECT json_build_object('previous_result_id', change.previous_result_id,
      'previous_price', change.previous_price::text, 'previous_currency', change.previous_currency)
    FROM price_changes change WHERE change.result_id = ${resultId})`;

interface ChangeFilter {
  readonly owner?: string | undefined;
  readonly policyId?: string | undefined;
  readonly url?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Cursor: result id of the last change on the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Each condition has an index of its own; all take the same parameters. */
const ways = {
  all: '$1::text IS NULL AND $2::uuid IS NULL AND $3::text IS NULL',
  owner: 'user_id = $1 AND $2::uuid IS NULL AND $3::text IS NULL',
  policy: 'policy_id = $2 AND ($1::text IS NULL OR user_id = $1) AND ($3::text IS NULL OR url = $3)',
  url: 'md5(url) = md5($3) AND url = $3 AND ($1::text IS NULL OR user_id = $1) AND $2::uuid IS NULL',
} as const;

const listStatements = Object.fromEntries(
  Object.entries(ways).map(([way, condition]) => [
    way,
    statement<ChangedPrice>(
      `list-price-changes-by-${way}`,
      `
SELECT result_id, job_id, policy_id, user_id, url, previous_result_id, previous_price::text AS previous_price,
  previous_currency, price::text AS price, currency, changed_at
FROM price_changes
WHERE ${condition} AND ($4::timestamptz IS NULL OR changed_at >= $4) AND ($5::timestamptz IS NULL OR changed_at < $5)
  AND ($6::uuid IS NULL OR result_id < $6)
ORDER BY result_id DESC LIMIT $7`,
    ),
  ]),
) as Record<keyof typeof ways, ReturnType<typeof statement<ChangedPrice>>>;

/** Newest first. */
export function listPriceChanges(db: Queryable, filter: ChangeFilter): Promise<ChangedPrice[]> {
  const { owner, policyId, url, since, until, after, limit } = filter;
  const way =
    policyId !== undefined ? 'policy' : url !== undefined ? 'url' : owner !== undefined ? 'owner' : 'all';
  return run(db, listStatements[way], [owner, policyId, url, since, until, after, limit]);
}

interface HistoryOptions {
  /** Prices of this policy's pages, or of the pages with this URL. */
  readonly of: { readonly policyId: string } | { readonly url: string };
  readonly owner?: string | undefined;
  readonly currency?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Cursor: id of the last result on the previous page. */
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

/** The prices of a page over time, newest first. */
export function priceHistory(db: Queryable, options: HistoryOptions): Promise<HistoricPrice[]> {
  const { of, owner, currency, since, until, after, limit } = options;
  const [found, thing] = 'url' in of ? [ofUrlStatement, of.url] : [ofPolicyStatement, of.policyId];
  return run(db, found, [thing, owner, currency, since, until, after, limit]);
}
