/** How a request ended. */
export type RequestOutcome =
  | {
      readonly kind: 'ok' | 'http';
      readonly status: number;
      /** Until the head of the answer. */
      readonly latencyMs: number;
      readonly retryAfterSeconds?: number | undefined;
    }
  | { readonly kind: 'error'; readonly code: string };

/** Error codes that say something about the health of a source. Others (refused by us, a bad body …) say nothing. */
const failureCodes = new Set(['connection_failed', 'fetch_timed_out', 'site_error', 'rate_limited']);

/** What an outcome says about its source: a 404 is the answer of a healthy one. */
export function judgeOutcome(outcome: RequestOutcome): 'success' | 'failure' | 'neither' {
  if (outcome.kind === 'error') return failureCodes.has(outcome.code) ? 'failure' : 'neither';
  return outcome.status === 429 || outcome.status >= 500 ? 'failure' : 'success';
}

/** Whether the source says that it is asked too much. */
export function isOverloaded(outcome: RequestOutcome): boolean {
  if (outcome.kind === 'error') return outcome.code === 'rate_limited';
  return outcome.status === 429 || outcome.status === 503;
}
