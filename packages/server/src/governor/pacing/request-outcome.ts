/** How a request ended. */
export type RequestOutcome = (
  | {
      readonly kind: 'ok' | 'http';
      readonly status: number;
      /** Until the head of the answer. */
      readonly latencyMs: number;
      readonly retryAfterSeconds?: number | undefined;
    }
  | {
      readonly kind: 'error';
      readonly code: string;
      /** Which of the source's hosts was asked. */
      readonly host?: string;
    }
) & {
  /** The URL has failed before: failing again, it says nothing new about its source. */
  readonly again?: boolean;
};

/** Error codes that say something about the health of a source. Others (refused by us, a bad body …) say nothing. */
const failureCodes = new Set(['connection_failed', 'fetch_timed_out', 'site_error', 'rate_limited']);

/** Error codes of a host that cannot be had at all, whatever the URL. Nobody is spared by a pause, but an operator wants to know. */
const troubleCodes = new Set(['dns_failed', 'tls_failed']);

/** What is wrong with the host itself. */
export function troubleOf(outcome: RequestOutcome): { code: string; host: string | null } | undefined {
  if (outcome.kind !== 'error' || !troubleCodes.has(outcome.code)) return undefined;
  return { code: outcome.code, host: outcome.host ?? null };
}

/** What an outcome says about its source: a 404 is the answer of a healthy one. */
export function judgeOutcome(outcome: RequestOutcome): 'success' | 'failure' | 'neither' {
  if (outcome.kind === 'error') return failureCodes.has(outcome.code) ? 'failure' : 'neither';
  return outcome.status === 429 || outcome.status >= 500 ? 'failure' : 'success';
}

/** The source says that it is asked too much: 429. That is about all requests, whatever the URL. */
export function isTooMany(outcome: RequestOutcome): boolean {
  return outcome.kind === 'error' ? outcome.code === 'rate_limited' : outcome.status === 429;
}

/** The request was turned away: by 429, or by 503, which may be about its URL alone. */
export function isRefused(outcome: RequestOutcome): boolean {
  return isTooMany(outcome) || (outcome.kind !== 'error' && outcome.status === 503);
}

/** Nobody answered at all: that is no page's fault. */
export function isSilent(outcome: RequestOutcome): boolean {
  return outcome.kind === 'error' && outcome.code === 'connection_failed';
}
