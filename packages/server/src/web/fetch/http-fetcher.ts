import { HoldfastError } from '@holdfast/contract';
import { version } from '../../base/process/installation.ts';
import { asProxyFailure, checkProxyAnswer } from '../proxy/proxy-answer.ts';
import type { ProxyEndpoint } from '../proxy/proxy-endpoint.ts';
import { AddressGuard } from './address-guard.ts';
import { type ConnectionOptions, type ResolveHost, resolveHost } from './connection.ts';
import { Exchange } from './exchange.ts';
import { ExchangeWatch } from './exchange-watch.ts';
import {
  defaultLimits,
  type Fetcher,
  type FetchLimits,
  type FetchRequest,
  type FetchResponse,
} from './fetcher.ts';
import { requestHeaders } from './http-headers.ts';
import { OriginPool } from './origin-pool.ts';

export interface HttpFetcherOptions {
  readonly userAgent?: string | undefined;
  /** Private origins (scheme://host:port) that may be fetched. */
  readonly allowOrigins?: readonly string[] | undefined;
  readonly limits?: Partial<FetchLimits> | undefined;
  readonly connectionsPerOrigin?: number | undefined;
  /** Origins whose connections are kept; the least recently used are closed, except for those in use. */
  readonly maxOrigins?: number | undefined;
  readonly keepAliveMs?: number | undefined;
  readonly resolve?: ResolveHost | undefined;
  /** Called before each request. */
  readonly onRequest?: (() => void) | undefined;
  /** Headers that say who sends a request, in undici's format. */
  readonly identity?: ((url: URL) => readonly string[]) | undefined;
  /** Certificates trusted instead of the system's. */
  readonly ca?: readonly string[] | undefined;
}

/** Fetches over HTTP/1.1 and keeps connections per origin. */
export class HttpFetcher implements Fetcher {
  readonly #guard: AddressGuard;
  readonly #limits: FetchLimits;
  readonly #userAgent: string;
  readonly #connection: ConnectionOptions;
  readonly #connectionsPerOrigin: number;
  readonly #maxOrigins: number;
  readonly #onRequest: (() => void) | undefined;
  readonly #identity: HttpFetcherOptions['identity'];
  readonly #watch = new ExchangeWatch();
  readonly #pools = new Map<string, OriginPool>();
  readonly #proxyKeys = new WeakMap<ProxyEndpoint, number>();
  #proxies = 0;
  #uses = 0;
  #closed = false;

  constructor(options: HttpFetcherOptions = {}) {
    this.#guard = new AddressGuard(options.allowOrigins);
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#userAgent = options.userAgent ?? `Holdfast/${version}`;
    this.#connectionsPerOrigin = options.connectionsPerOrigin ?? 8;
    this.#maxOrigins = options.maxOrigins ?? 256;
    this.#onRequest = options.onRequest;
    this.#identity = options.identity;
    this.#connection = {
      guard: this.#guard,
      resolve: options.resolve ?? resolveHost,
      keepAliveMs: options.keepAliveMs ?? 4000,
      ca: options.ca,
    };
  }

  fetch(request: FetchRequest): Promise<FetchResponse> {
    return new Promise((resolve, reject) => {
      request.signal?.throwIfAborted();
      this.#onRequest?.();
      const url = readUrl(request.url);
      const { via } = request;
      const pool = this.#poolOf(url, via);
      const exchange: Exchange = new Exchange({
        url: url.href,
        dispatch: {
          path: `${url.pathname}${url.search}`,
          method: request.body === undefined ? 'GET' : 'POST',
          body: request.body ?? null,
          headers: this.#headersOf(url, request),
        },
        limits: request.limits ? { ...this.#limits, ...request.limits } : this.#limits,
        acceptHead: via ? checkProxyAnswer(url, via, request.acceptHead) : request.acceptHead,
        enoughBytes: request.enoughBytes,
        take: request.take,
        signal: request.signal,
        mayAsk: request.mayAsk,
        resolve,
        reject: via ? (error) => reject(asProxyFailure(error, via, exchange)) : reject,
        ended: this.#ended,
      });
      this.#watch.add(exchange);
      pool.run(exchange);
    });
  }

  /** Throws if the text of the URL shows that it must not be fetched; for callers that wait before the request. */
  checkUrl(url: string): void {
    this.#guard.checkUrl(readUrl(url));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.failAll(closed());
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }

  #headersOf(url: URL, request: FetchRequest): string[] {
    const headers = requestHeaders(request, this.#userAgent);
    return this.#identity ? headers.concat(this.#identity(url)) : headers;
  }

  readonly #ended = (exchange: Exchange) => this.#watch.delete(exchange);

  #poolOf(url: URL, via: ProxyEndpoint | undefined): OriginPool {
    if (this.#closed) throw closed();
    const { origin } = url;
    const key = via ? `${this.#proxyKey(via)} ${origin}` : origin;
    let pool = this.#pools.get(key);
    if (!pool) {
      // The verdict is the same for every URL of an origin, so one check per pool is enough.
      this.#guard.checkUrl(url);
      this.#makeRoom();
      pool = new OriginPool(new URL(origin), this.#connection, this.#connectionsPerOrigin, via);
      this.#pools.set(key, pool);
    }
    pool.usedAt = ++this.#uses;
    return pool;
  }

  /** Connections through one proxy are not used for another, nor with other credentials. */
  #proxyKey(via: ProxyEndpoint): number {
    const key = this.#proxyKeys.get(via) ?? ++this.#proxies;
    this.#proxyKeys.set(via, key);
    return key;
  }

  #makeRoom(): void {
    const surplus = this.#pools.size + 1 - this.#maxOrigins;
    if (surplus <= 0) return;
    const idle = [...this.#pools].filter(([, pool]) => pool.idle).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [key, pool] of idle.slice(0, surplus)) {
      pool.close();
      this.#pools.delete(key);
    }
  }
}

/** Removes fragment and user info, which belong in no request, page address or log. */
function readUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new HoldfastError('url_invalid', 'it is not an absolute URL');
  }
  if (url.hash || text.endsWith('#')) url.hash = '';
  if (url.username || url.password) {
    url.username = '';
    url.password = '';
  }
  return url;
}

function closed(): HoldfastError {
  return new HoldfastError('connection_failed', 'the fetcher is closed');
}
