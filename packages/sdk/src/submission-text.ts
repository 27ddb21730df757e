import type { SubmitRequest } from './operations.ts';

/** The result of a visit. */
export interface VisitResult {
  /** Decimal text such as '1299.90', stored digit for digit. Numbers are sent as JavaScript prints them. */
  readonly price: string | number;
  /** Three letters, such as USD. */
  readonly currency: string;
  readonly title?: string | null | undefined;
  readonly in_stock?: boolean | null | undefined;
  /** Any JSON. */
  readonly parsed_data?: unknown;
  readonly raw_html?: string | null | undefined;
}

export type Submission = Pick<SubmitRequest, 'job_id' | 'lease_token'> &
  (({ readonly success: true } & VisitResult) | { readonly success: false; readonly error_msg: string });

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A submission as JSON, with the price as a number with its exact digits. */
export function submissionText(submission: Submission & { readonly bot_id?: string }): string {
  if (!submission.success) return JSON.stringify(submission);
  const { price, ...rest } = submission;
  const digits = String(price);
  if (!jsonNumber.test(digits)) throw new TypeError(`price: ${JSON.stringify(price)} is no decimal number`);
  return `${JSON.stringify(rest).slice(0, -1)},"price":${digits}}`;
}
