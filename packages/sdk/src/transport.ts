import { HoldfastApiError, readApiError } from './api-error.ts';
import { backoff } from './backoff.ts';
import { HoldfastConnectionError, HoldfastTimeoutError } from './connection-error.ts';
import { Deadline } from './deadline.ts';
import { type Calls, type OperationName, operations } from './operations.ts';
import { wait } from './wait.ts';

export interface ConnectionOptions {
  /** The address of the API, such as https://holdfast.example. Empty in pages served by Holdfast itself. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Replaces the global fetch. */
  readonly fetch?: typeof fetch | undefined;
  /** Timeout of one attempt; default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Retries of transient failures; default 4. */
  readonly retries?: number | undefined;
  /** Maximum Retry-After to wait for; a call that would have to wait longer fails. Default 60 s. */
  readonly maxRetryAfterMs?: number | undefined;
}

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
}

type Path<Name extends OperationName> =
  Calls[Name]['path'] extends Record<string, never>
    ? { readonly path?: undefined }
    : { readonly path: Calls[Name]['path'] };

export type Sent<Name extends OperationName> = Path<Name> & {
  readonly query?: Calls[Name]['query'];
  readonly body?: Calls[Name]['body'];
  /** The body as JSON text, so that numbers keep their digits. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call is idempotent and may be repeated without a response. GET always is. */
  readonly repeatable?: boolean;
  /**
   * Called when a repetition was refused after an attempt that may have taken effect: returns the response if it did.
   */
  readonly settle?: () => Promise<Calls[Name]['answer'] | undefined>;
};

export interface Answer<Name extends OperationName> {
  readonly value: Calls[Name]['answer'];
  readonly headers: Headers;
}

const passingStatuses = [502, 503, 504];

/** Sends requests and retries transient failures. */
export class Transport {
  readonly #options: ConnectionOptions;
  readonly #baseUrl: string;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  async call<Name extends OperationName>(
    name: Name,
    sent: Sent<Name>,
    options: CallOptions = {},
  ): Promise<Calls[Name]['answer']> {
    return (await this.ask(name, sent, options)).value;
  }

  /** The same, with the response headers. */
  async ask<Name extends OperationName>(
    name: Name,
    sent: Sent<Name>,
    options: CallOptions = {},
  ): Promise<Answer<Name>> {
    const { retries = this.#options.retries ?? 4, signal } = options;
    const isRepeatable = sent.repeatable ?? operations[name].method === 'GET';
    let mayBeDone = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt(name, sent, options);
      } catch (error) {
        const status = error instanceof HoldfastApiError ? error.status : undefined;
        if (status === 409 && mayBeDone) {
          const value = await sent.settle?.();
          if (value !== undefined) return { value, headers: new Headers() };
        }
        mayBeDone ||= status !== 429;
        const ms = attempt < retries ? this.#delay(error, attempt, isRepeatable) : undefined;
        if (ms === undefined) throw error;
        await wait(ms, signal);
      }
    }
  }

  /**
   * Opens a streamed response. The deadline covers the headers; the caller restarts it while reading, and clears it.
   */
  async open<Name extends OperationName>(
    name: Name,
    sent: Sent<Name>,
    deadline: Deadline,
    accept = 'text/event-stream',
  ): Promise<Response> {
    const { url, init } = this.#request(name, sent);
    try {
      const headers = { ...init.headers, accept };
      const response = await this.#fetch(url, { ...init, headers }, deadline);
      if (response.ok) return response;
      const text = await deadline.within(response.text());
      throw readApiError(response.status, response.headers, text);
    } catch (error) {
      throw this.#failure(error, url, deadline);
    }
  }

  async #attempt<Name extends OperationName>(
    name: Name,
    sent: Sent<Name>,
    { signal, timeoutMs = this.#options.timeoutMs ?? 30_000 }: CallOptions,
  ): Promise<Answer<Name>> {
    signal?.throwIfAborted();
    const { url, init } = this.#request(name, sent);
    const deadline = new Deadline(signal);
    deadline.set(timeoutMs);
    try {
      const response = await this.#fetch(url, init, deadline);
      const text = await deadline.within(response.text());
      if (!response.ok) throw readApiError(response.status, response.headers, text);
      return { value: readAnswer(response, text) as Calls[Name]['answer'], headers: response.headers };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw this.#failure(error, url, deadline);
    } finally {
      deadline.clear();
    }
  }

  #failure(error: unknown, url: string, deadline: Deadline): unknown {
    if (error instanceof HoldfastApiError) return error;
    if (!deadline.isOver) return HoldfastConnectionError.from(error, url);
    return new HoldfastTimeoutError(`No answer from ${url} within ${deadline.ms} ms`, { cause: error });
  }

  /** Delay before the next attempt; undefined: a retry is useless or unsafe. */
  #delay(error: unknown, attempt: number, isRepeatable: boolean): number | undefined {
    if (error instanceof HoldfastConnectionError) return isRepeatable ? backoff(attempt) : undefined;
    if (!(error instanceof HoldfastApiError)) return undefined;
    const { status, retryAfterMs } = error;
    // After a 429, the request certainly had no effect; after other failures it may have had.
    if (status !== 429 && !(isRepeatable && passingStatuses.includes(status))) return undefined;
    if (retryAfterMs === undefined) return backoff(attempt);
    if (retryAfterMs > (this.#options.maxRetryAfterMs ?? 60_000)) return undefined;
    return retryAfterMs + Math.random() * 100;
  }

  #fetch(url: string, init: RequestInit, deadline: Deadline): Promise<Response> {
    // Called without `this`: browsers reject fetch as a method of anything but the window.
    const send = this.#options.fetch ?? fetch;
    return deadline.within(send(url, { ...init, signal: deadline.signal }));
  }

  #request<Name extends OperationName>(
    name: Name,
    { path, query, body, json, headers }: Sent<Name>,
  ): { url: string; init: RequestInit & { headers: Record<string, string> } } {
    const { method, path: pattern } = operations[name];
    const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
    const { apiKey } = this.#options;
    return {
      url: this.#baseUrl + fillPath(pattern, path ?? {}) + queryText(query ?? {}),
      init: {
        method,
        headers: {
          accept: 'application/json',
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(text !== undefined && { body: text }),
      },
    };
  }
}

function readAnswer({ headers }: Response, text: string): unknown {
  if (text === '') return undefined;
  return headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
}

function fillPath(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    // An empty segment or dots, even encoded, would lead to another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must not be ${JSON.stringify(value)}`);
    return encodeURIComponent(value);
  });
}

function queryText(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((item): [string, string][] => (item == null ? [] : [[name, String(item)]])),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
