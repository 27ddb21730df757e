import { visitOptions } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { retryWhileLeased } from '../../base/database/transient-errors.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import type { GovernedFetcher } from '../../governor/governed-fetcher.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import type { HeldJob, WriteOutcome } from '../../queue/jobs/held-job.ts';
import { RequestSession } from '../../queue/profiles/request-session.ts';
import type { RequestLease } from '../../web/fetch/fetcher.ts';
import type { VisitedProduct } from './product-pages.ts';
import { type ProductPageOptions, ProductPages } from './product-pages.ts';

interface VisitorOptions extends ProductPageOptions {
  readonly pool: pg.Pool;
  readonly secrets: SecretStore;
  readonly fetcher: GovernedFetcher;
  readonly actor: string;
}

/** Runs visit jobs: fetches product pages through the governor, obeys robots.txt, and stores the product. */
export class Visitor {
  readonly #options: VisitorOptions;
  readonly #pages: ProductPages;

  constructor(options: VisitorOptions) {
    this.#options = options;
    this.#pages = new ProductPages(options);
  }

  async run(job: ClaimedJob, lease: RequestLease): Promise<WriteOutcome> {
    const { pool, actor, secrets } = this.#options;
    const options = visitOptions.parse(job.payload);
    const session = await retryWhileLeased(lease, () => RequestSession.open(pool, secrets, job.id, options));
    const product = await this.#pages.read(options, { ...lease, session });
    return await retryWhileLeased(lease, () => storeVisit(pool, job, product, actor));
  }
}

const storeStatement = statement<never>(
  'store-visit',
  `
INSERT INTO crawl_results (job_id, policy_id, user_id, url, price, currency, title, in_stock, parsed_data, actor)
SELECT id, policy_id, user_id, payload ->> 'url', $2::numeric, $3, $4, $5, $6::jsonb, $7 FROM crawl_jobs WHERE id = $1
ON CONFLICT (job_id) DO NOTHING`,
);

/**
 * Completes the job and stores its result in one transaction: a visitor that lost its lease stores nothing. Safe to repeat after a
 * lost answer.
 */
export function storeVisit(
  pool: pg.Pool,
  job: HeldJob,
  product: VisitedProduct,
  actor: string,
): Promise<WriteOutcome> {
  return inTransaction(pool, async (db) => {
    const outcome = (await completeJobs(db, [job], actor)).get(job) ?? 'lost';
    if (outcome !== 'completed') return outcome;
    const { price, currency, title, inStock } = product;
    // A price without a known currency is stored in the data only.
    const stored = price !== null && currency !== null ? [price, currency] : [null, null];
    await run(db, storeStatement, [job.id, ...stored, title, inStock, JSON.stringify(product), actor]);
    return outcome;
  });
}
