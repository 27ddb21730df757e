import type { ApiError } from '@holdfast/contract';

/** An error response of the server. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

let csrfToken = '';

/** The CSRF token that every write must send; part of the session. */
export function rememberCsrfToken(token: string): void {
  csrfToken = token;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly signal?: AbortSignal;
}

/** Calls the API with the cookie of the session. */
export async function request<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const { method = 'GET', body, query, signal } = options;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken;
  let response: Response;
  try {
    response = await fetch(withQuery(path, query), {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestFailed(
      0,
      'unreachable',
      'Holdfast is not responding',
      'Check that it is running. This page retries automatically.',
    );
  }
  if (!response.ok) throw await failure(response);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

async function failure(response: Response): Promise<RequestFailed> {
  try {
    const { error } = (await response.json()) as ApiError;
    return new RequestFailed(response.status, error.code, error.message, error.hint);
  } catch {
    return new RequestFailed(response.status, 'unexpected', `The server responded with ${response.status}`);
  }
}

function withQuery(path: string, query: RequestOptions['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}
