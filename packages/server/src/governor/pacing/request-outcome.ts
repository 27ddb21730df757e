/** How a request ended. */
export type RequestOutcome = (
  | {
      readonly kind: 'ok' | 'http';
      readonly status: number;
      /** Time to the response head. */
      readonly latencyMs: number;
      readonly retryAfterSeconds?: number | undefined;
    }
  | {
      readonly kind: 'error';
      readonly code: string;
      /** The host that was requested. */
      readonly host?: string;
    }
) & {
  /** The URL has failed before: another failure says nothing new about its source. */
  readonly again?: boolean;
};

/** Errors that count against the health of a source. Others do not (refused by us, an invalid body …). */
const failureCodes = new Set(['connection_failed', 'fetch_timed_out', 'site_error', 'rate_limited']);

/** Errors of an unreachable host, whatever the URL. A pause would spare nobody, but operators are told. */
const troubleCodes = new Set(['dns_failed', 'tls_failed']);

/** Why the host itself is unreachable, if it is. */
export function troubleOf(outcome: RequestOutcome): { code: string; host: string | null } | undefined {
  if (outcome.kind !== 'error' || !troubleCodes.has(outcome.code)) return undefined;
  return { code: outcome.code, host: outcome.host ?? null };
}

/** Whether an outcome counts for or against its source: a healthy one may answer 404. */
export function judgeOutcome(outcome: RequestOutcome): 'success' | 'failure' | 'neither' {
  if (outcome.kind === 'error') return failureCodes.has(outcome.code) ? 'failure' : 'neither';
  return outcome.status === 429 || outcome.status >= 500 ? 'failure' : 'success';
}

/** Whether the source answered 429, which concerns all requests, whatever the URL. */
export function isTooMany(outcome: RequestOutcome): boolean {
  return outcome.kind === 'error' ? outcome.code === 'rate_limited' : outcome.status === 429;
}

/** Whether the request was refused, with 429 or with 503, which may concern its URL alone. */
export function isRefused(outcome: RequestOutcome): boolean {
  return isTooMany(outcome) || (outcome.kind !== 'error' && outcome.status === 503);
}

/** Whether nothing answered, which no page is to blame for. */
export function isSilent(outcome: RequestOutcome): boolean {
  return outcome.kind === 'error' && outcome.code === 'connection_failed';
}
