export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly details?: readonly FieldProblem[] | undefined;
  readonly status: number;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** An error response of the API. `code` is listed in docs/errors.md, or for bots in docs/bots.md. */
export class HoldfastApiError extends Error {
  override readonly name = 'HoldfastApiError';
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** What is wrong with each field. */
  readonly details: readonly FieldProblem[];
  /** Identifies the request in the server's logs. */
  readonly requestId: string | undefined;
  /** The server's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, hint, details = [], status, requestId, retryAfterMs }: Refusal) {
    super(message);
    this.code = code;
    this.status = status;
    this.hint = hint;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Parses errors of the native API, of the bot API, and of proxies in between. */
export function readApiError(status: number, headers: Headers, text: string): HoldfastApiError {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'));
  const common = { status, retryAfterMs, requestId: headers.get('x-request-id') ?? undefined };
  const { error, detail } = (parsed(text) ?? {}) as { error?: unknown; detail?: unknown };
  if (typeof error === 'string')
    return new HoldfastApiError({ ...common, code: error, message: `${detail}` });
  if (typeof error === 'object' && error !== null && 'code' in error) {
    const { request_id, ...said } = error as { code: string; message: string; request_id?: string };
    return new HoldfastApiError({ ...common, ...said, requestId: request_id ?? common.requestId });
  }
  return new HoldfastApiError({
    ...common,
    code: `http_${status}`,
    message: `The server answered with status ${status}, and not as Holdfast does`,
    hint: 'Check baseUrl, and what stands between you and the API.',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds or an HTTP date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
