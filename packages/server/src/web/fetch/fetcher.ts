import type { ProxyEndpoint } from '../proxy/proxy-endpoint.ts';

/**
 * Fetches one URL with at most one request. Redirects are not followed here but by fetch-following.ts, so that every hop passes
 * the caller's scope, robots.txt and governor.
 */
export interface Fetcher {
  /** Throws a HoldfastError, the reason of an aborted signal, or RequestNotSent. */
  fetch(request: FetchRequest): Promise<FetchResponse>;
  /** Aborts all requests. */
  close(): Promise<void>;
}

export interface FetchRequest {
  readonly url: string;
  readonly userAgent?: string | undefined;
  readonly accept?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  /** Other headers, in lower case. Those of the connection and accept-encoding are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent with POST; `headers` has its content-type. Without a body the request is a GET. */
  readonly body?: string | undefined;
  readonly limits?: Partial<FetchLimits> | undefined;
  /**
   * false: the body is not downloaded, because of its type or status. A sample: only its beginning is read, and where that
   * cannot be had there is no body.
   */
  readonly acceptHead?: ((head: FetchHead) => boolean | BodySample) | undefined;
  /**
   * Ends the download once the inflated body is longer than this, and returns what has arrived. The body is longer than this
   * exactly if it was truncated, and its length is no error.
   */
  readonly enoughBytes?: number | undefined;
  /**
   * Receives the inflated body piece by piece; that of the response is then empty. If it returns a promise, the next piece comes
   * after that is resolved, and the site has to wait.
   */
  readonly take?: ((piece: Buffer) => Promise<void> | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called right before the request is sent, because conditions may have changed while it waited for a connection. */
  readonly mayAsk?: (() => boolean) | undefined;
  /** The proxy that the request goes through. */
  readonly via?: ProxyEndpoint | undefined;
}

export interface BodySample {
  readonly sampleBytes: number;
}

/** No request was sent, because `mayAsk` returned false, or because no proxy takes one before `until` (monotonic clock). */
export class RequestNotSent extends Error {
  readonly until: number;

  constructor(until = 0) {
    super('no request was sent');
    this.until = until;
  }
}

export interface FetchLimits {
  /** The size of the body, before and after inflating. */
  readonly maxBytes: number;
  /** Inflated bytes per byte received, beyond the first inflated megabyte. */
  readonly maxRatio: number;
  /** From the call to the last byte, including the wait for a free connection. */
  readonly totalMs: number;
  /** DNS, TCP and TLS. */
  readonly connectMs: number;
  /** From the request to the end of the headers. */
  readonly headersMs: number;
  /** The minimum rate of a body, averaged over spans of `graceMs`. */
  readonly minBytesPerSecond: number;
  readonly graceMs: number;
}

export const defaultLimits: FetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  // Deflate reaches 1032; ordinary pages of more than a megabyte stay well below 100.
  maxRatio: 200,
  totalMs: 60_000,
  connectMs: 10_000,
  headersMs: 30_000,
  minBytesPerSecond: 256,
  graceMs: 10_000,
};

export interface FetchHead {
  /** The requested URL without fragment and user info. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case, repeated headers joined with commas, without set-cookie, which must not be stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** The set-cookie headers, for a cookie jar. */
  readonly setCookies?: readonly string[] | undefined;
  readonly contentType: string | undefined;
  readonly contentLength: number | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** From either form of Retry-After; at most a day. */
  readonly retryAfterSeconds: number | undefined;
  /** The X-Robots-Tag headers, one per line: a crawler's name applies to the rest of its line. */
  readonly robotsTag: string | undefined;
  /** The absolute target of a redirect; undefined if it is not a URL. */
  readonly location: string | undefined;
}

export interface FetchResponse extends FetchHead {
  /** Inflated. Undefined for redirects, 304, and if `acceptHead` returned false. */
  readonly body: Buffer | undefined;
  /** Bytes of the body as received, before inflating. */
  readonly bytesOnWire: number;
  /** Of the site. Undefined where a proxy resolved its name. */
  readonly remoteAddress: string | undefined;
  /** The proxy that it came through, by name. */
  readonly proxy?: string | undefined;
  readonly timings: FetchTimings;
}

/** In milliseconds, one after the other. */
interface FetchTimings {
  /** Waiting for a free connection to the origin. */
  readonly waited: number;
  /** About 0 on an open connection. */
  readonly connecting: number;
  readonly head: number;
  readonly body: number;
}

/** What requests carry besides what they ask for, such as cookies. Asked for each redirect again, as its target may be of another site. */
export interface SessionOfRequests {
  prepare(url: string): Promise<Pick<FetchRequest, 'acceptLanguage' | 'headers'>>;
  /** Throws if the answer shows that the session is over. */
  receive(url: string, response: FetchResponse): Promise<void>;
}

/** The job that a request belongs to: it starts within the lease, and ends with the signal. */
export interface RequestLease {
  /** By the monotonic clock. */
  readonly leaseEnds: () => number;
  readonly signal: AbortSignal;
  readonly session?: SessionOfRequests | undefined;
}

export function isLeased({ leaseEnds }: Pick<RequestLease, 'leaseEnds'>): boolean {
  return performance.now() < leaseEnds();
}
