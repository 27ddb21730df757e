export interface FetchOptions {
  readonly key?: string;
  readonly body?: string | undefined;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  /** Empty for an answer without an end: it is left at once. */
  readonly text: string;
}

const patienceMs = 30_000;

/** Asks over a real connection; an answer that does not come is an error. */
export async function fetchFrom(
  address: string,
  method: string,
  path: string,
  { key, body, headers = {} }: FetchOptions,
): Promise<Answer> {
  const leave = new AbortController();
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.any([leave.signal, AbortSignal.timeout(patienceMs)]),
  });
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    leave.abort();
    return { status: response.status, type, text: '' };
  }
  return { status: response.status, type, text: await response.text() };
}
