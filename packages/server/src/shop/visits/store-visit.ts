import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import type { HeldJob, WriteOutcome } from '../../queue/jobs/held-job.ts';
import type { Product } from '../products/product.ts';

const storeStatement = statement<never>(
  'store-visit',
  `
INSERT INTO crawl_results (job_id, policy_id, user_id, url, price, currency, title, in_stock, parsed_data, actor)
SELECT id, policy_id, user_id, payload ->> 'url', $2::numeric, $3, $4, $5, $6::jsonb, $7 FROM crawl_jobs WHERE id = $1
ON CONFLICT (job_id) DO NOTHING`,
);

/**
 * The end of the run and what it brought, together or not at all: a visitor that lost its lease stores nothing. Repeated after
 * a lost answer, it finds its job completed under its fence and the result there.
 */
export function storeVisit(
  pool: pg.Pool,
  job: HeldJob,
  product: Product,
  actor: string,
): Promise<WriteOutcome> {
  return inTransaction(pool, async (db) => {
    const outcome = (await completeJobs(db, [job], actor)).get(job) ?? 'lost';
    if (outcome !== 'completed') return outcome;
    const { price, currency, title, inStock } = product;
    // A currency is of a price; a bare number whose currency nobody named is kept in the data alone.
    const stored = price !== null && currency !== null ? [price, currency] : [null, null];
    await run(db, storeStatement, [job.id, ...stored, title, inStock, JSON.stringify(product), actor]);
    return outcome;
  });
}
