import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { BatchItem } from '@holdfast/contract';
import type { AskedLease } from '../../shop/bots/judge-lease.ts';
import type { Submission } from '../../shop/bots/submission.ts';

const deflate = promisify(deflateRaw);
const maxErrorLength = 2_000;

/** What a bot says about a job, in our own terms. */
export async function readSubmission(
  lease: AskedLease,
  said: Omit<BatchItem, 'job_id'>,
): Promise<Submission> {
  const { success, price, currency, title, in_stock, parsed_data, raw_html, error_msg } = said;
  if (!success || !price || !currency) {
    return {
      lease,
      outcome: { success: false, error: error_msg?.slice(0, maxErrorLength).toWellFormed() || null },
    };
  }
  const result = {
    price,
    currency,
    title: title ?? null,
    inStock: in_stock ?? null,
    parsedData: parsed_data ?? null,
    rawHtml: raw_html ? await deflate(raw_html, { level: 1 }) : null,
  };
  return { lease, outcome: { success: true, result } };
}
