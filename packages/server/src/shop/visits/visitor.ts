import { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import { inTransaction, run, statement } from '../../base/database/statement.ts';
import { retryWhileLeased } from '../../base/database/transient-errors.ts';
import type { GovernedFetcher } from '../../governor/governed-fetcher.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import { completeJobs } from '../../queue/jobs/complete-jobs.ts';
import type { HeldJob, WriteOutcome } from '../../queue/jobs/held-job.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import type { FetchResponse, RequestLease } from '../../web/fetch/fetcher.ts';
import { refusedLater } from '../../web/fetch/status-error.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { extractProduct } from '../products/extract-product.ts';
import type { Product } from '../products/product.ts';

interface VisitorOptions {
  readonly pool: pg.Pool;
  readonly fetcher: GovernedFetcher;
  readonly actor: string;
}

const maxHops = 10;
const html = /^(text\/html|application\/xhtml\+xml)\b/i;

/** Runs visit jobs: fetches product pages through the governor, obeys robots.txt, and stores the product. */
export class Visitor {
  readonly #options: VisitorOptions;

  constructor(options: VisitorOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, lease: RequestLease): Promise<WriteOutcome> {
    const { pool, actor } = this.#options;
    const given = String(job.payload.url);
    const product = await this.#read(given, lease);
    if (product.price === null && product.inStock === null)
      throw new HoldfastError('product_not_found', given);
    return await retryWhileLeased(lease, () => storeVisit(pool, job, product, actor));
  }

  async #read(given: string, lease: RequestLease): Promise<Product> {
    const url = canonicalUrl(given, undefined, { keepTracking: true, keepSessions: true });
    if (url === null) throw new HoldfastError('url_invalid', given);
    const acceptHead = ({ status, contentType }: Pick<FetchResponse, 'status' | 'contentType'>) =>
      status === 200 && isHtml(contentType);
    return readProduct(
      await this.#options.fetcher.fetch({ url, acceptHead }, { ...lease, maxHops, obeysRobots: true }),
    );
  }
}

function isHtml(contentType: string | undefined): boolean {
  return contentType === undefined || html.test(contentType);
}

function readProduct(response: FetchResponse): Product {
  const { status, contentType, url } = response;
  const later = refusedLater(response);
  if (later) throw later;
  if (status !== 200) throw new HoldfastError('page_refused', `HTTP ${status}`);
  if (!response.body)
    throw new HoldfastError('product_not_found', `${contentType ?? 'no content'} is not a web page`);
  return extractProduct(decodeHtml(response.body, contentType).text, url);
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
  product: Product,
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
