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

/** The API answered, and said no. `code` is one of docs/errors.md, or for bots one of their guide. */
export class HoldfastApiError extends Error {
  override readonly name = 'HoldfastApiError';
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** What is wrong with each field. */
  readonly details: readonly FieldProblem[];
  /** Names the request in the server's logs. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait before the request is repeated. */
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

/** Reads the shape of the native API, the one of bots, and whatever a proxy on the way may say. */
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

/** Seconds or a date, as HTTP allows. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
