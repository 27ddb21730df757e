import type { AskedLease } from './bot-leases.ts';

/** What a visit brought back. Prices are decimal text, and parsed data JSON text: neither may pass through a float. */
interface VisitResult {
  readonly price: string;
  readonly currency: string;
  readonly title: string | null;
  readonly inStock: boolean | null;
  readonly parsedData: string | null;
  /** Deflated. */
  readonly rawHtml: Buffer | null;
}

export interface Submission {
  readonly lease: AskedLease;
  readonly outcome:
    | { readonly success: true; readonly result: VisitResult }
    | { readonly success: false; readonly error: string | null };
}

/** What a bot is told, as JSON text: a repeated submit is told the same. */
export interface SubmissionAnswer {
  readonly status: number;
  readonly data: string;
}
