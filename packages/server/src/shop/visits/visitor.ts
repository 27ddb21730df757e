import { HoldfastError } from '@holdfast/contract';
import type pg from 'pg';
import { retryWhileLeased } from '../../base/database/transient-errors.ts';
import type { GovernedFetcher } from '../../governor/governed-fetcher.ts';
import type { ClaimedJob } from '../../queue/jobs/claim-jobs.ts';
import type { WriteOutcome } from '../../queue/jobs/held-job.ts';
import { decodeHtml } from '../../web/charset/decode-html.ts';
import type { FetchResponse } from '../../web/fetch/fetcher.ts';
import type { RequestLease } from '../../web/fetch/request-lease.ts';
import { refusedLater } from '../../web/fetch/status-error.ts';
import { canonicalUrl } from '../../web/urls/canonical-url.ts';
import { extractProduct } from '../products/extract-product.ts';
import type { Product } from '../products/product.ts';
import { storeVisit } from './store-visit.ts';

export interface VisitorOptions {
  readonly pool: pg.Pool;
  readonly fetcher: GovernedFetcher;
  readonly actor: string;
}

const maxHops = 10;
const html = /^(text\/html|application\/xhtml\+xml)\b/i;

/** Our own bot: visits product pages, many at a time, through the governor and robots.txt, and stores what they offer. */
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
    throw new HoldfastError('product_not_found', `${contentType ?? 'no content'} is no page`);
  return extractProduct(decodeHtml(response.body, contentType).text, url);
}
