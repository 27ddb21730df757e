import { HoldfastApiError, readApiError } from './api-error.ts';
import { backoff } from './backoff.ts';
import { HoldfastConnectionError, HoldfastTimeoutError } from './connection-error.ts';
import { Deadline } from './deadline.ts';
import { type Calls, type OperationName, operations } from './operations.ts';
import { wait } from './wait.ts';

export interface ConnectionOptions {
  /** Where the API is, such as https://holdfast.example; in a page that the server itself sent, it may be empty. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Another fetch than the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** How long one attempt may take; 30 s if left out. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is repeated that failed for a passing reason; 4 times if left out. */
  readonly retries?: number | undefined;
  /** A call that should be repeated later than this fails instead; 60 s if left out. */
  readonly maxRetryAfterMs?: number | undefined;
}

/** What any call may be given. */
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
  /** The body as JSON already, where a number must keep its digits. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to do it twice is the same as once, so that it can be repeated when no answer came. A GET is always so. */
  readonly repeatable?: boolean;
  /** Asked when a repetition was refused, after an attempt that may have had its effect: the answer if it had. */
  readonly settle?: () => Promise<Calls[Name]['answer'] | undefined>;
};

export interface Answer<Name extends OperationName> {
  readonly value: Calls[Name]['answer'];
  readonly headers: Headers;
}

const passingStatuses = [502, 503, 504];

/** Sends requests, and repeats those that failed for a passing reason. */
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

  /** The same, with the headers of the answer. */
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

  /** Opens an answer that is read as it comes. The deadline is for its head; the caller sets it anew while it reads, and clears it. */
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

  /** How long to wait before the next attempt; undefined: it is no use, or not safe. */
  #delay(error: unknown, attempt: number, isRepeatable: boolean): number | undefined {
    if (error instanceof HoldfastConnectionError) return isRepeatable ? backoff(attempt) : undefined;
    if (!(error instanceof HoldfastApiError)) return undefined;
    const { status, retryAfterMs } = error;
    // Whoever is told that they ask too often can be sure that nothing was done; else it may have been, before it failed.
    if (status !== 429 && !(isRepeatable && passingStatuses.includes(status))) return undefined;
    if (retryAfterMs === undefined) return backoff(attempt);
    if (retryAfterMs > (this.#options.maxRetryAfterMs ?? 60_000)) return undefined;
    return retryAfterMs + Math.random() * 100;
  }

  #fetch(url: string, init: RequestInit, deadline: Deadline): Promise<Response> {
    // Called as a function of nobody's: browsers refuse it as a method of anything but the window.
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
    // An empty one or two dots, even encoded, would lead to another address.
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
