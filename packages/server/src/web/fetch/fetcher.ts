/**
 * Fetches one URL: one call is at most one request at the origin. Redirects are answers, not followed here
 * (fetch-following.ts does), so that every hop goes through scope, robots and governor of the caller.
 */
export interface Fetcher {
  /** Fails with a HoldfastError; with the signal's own reason when the signal ended it; with NotAsked. */
  fetch(request: FetchRequest): Promise<FetchResponse>;
  /** Ends whatever is under way. */
  close(): Promise<void>;
}

export interface FetchRequest {
  readonly url: string;
  readonly userAgent?: string | undefined;
  readonly accept?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  /** Any others, lower-case. Those of the connection itself and accept-encoding are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent with POST, as the content-type among `headers` says; without it, the request is a GET. */
  readonly body?: string | undefined;
  readonly limits?: Partial<FetchLimits> | undefined;
  /** False: the body is of no use (its type, its status) and is not downloaded. */
  readonly acceptHead?: ((head: FetchHead) => boolean) | undefined;
  /**
   * So many bytes of the inflated body are enough: once more are there the download ends, and what came is the body. It is
   * longer than this exactly when it was cut, and its length is no error.
   */
  readonly enoughBytes?: number | undefined;
  /**
   * Takes the inflated body piece by piece; the answer has an empty one then. The next piece comes once the promise is
   * resolved, if there is one, and the site waits meanwhile.
   */
  readonly take?: ((piece: Buffer) => Promise<void> | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Looked at when a connection is there, right before the request leaves; what was true at the call may have changed. */
  readonly mayAsk?: (() => boolean) | undefined;
}

/** `mayAsk` said no; the origin heard nothing. */
export class NotAsked extends Error {}

export interface FetchLimits {
  /** Of the body, before and after inflating. */
  readonly maxBytes: number;
  /** Inflated bytes per byte on the wire, beyond the first inflated megabyte. */
  readonly maxRatio: number;
  /** From the call to the last byte, the wait for a free connection included. */
  readonly totalMs: number;
  /** Name, TCP and TLS. */
  readonly connectMs: number;
  /** From the request to the end of the headers. */
  readonly headersMs: number;
  /** Each span of `graceMs` of a body must bring this much, on the wire. */
  readonly minBytesPerSecond: number;
  readonly graceMs: number;
}

export const defaultLimits: FetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  // Deflate reaches 1032; honest pages of more than a megabyte stay well below 100.
  maxRatio: 200,
  totalMs: 60_000,
  connectMs: 10_000,
  headersMs: 30_000,
  minBytesPerSecond: 256,
  graceMs: 10_000,
};

export interface FetchHead {
  /** As requested, without fragment and user info. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names; repeated ones joined with commas; without set-cookie, which nobody here may keep. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  readonly contentLength: number | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** From either form of Retry-After, at most a day. */
  readonly retryAfterSeconds: number | undefined;
  /** X-Robots-Tag, each of its lines on one of its own: the name of a crawler speaks for the rest of its line. */
  readonly robotsTag: string | undefined;
  /** Where a redirect leads, absolute; undefined when it leads nowhere that is a URL. */
  readonly location: string | undefined;
}

export interface FetchResponse extends FetchHead {
  /** Inflated. Undefined when there was none to have: redirects, 304, and what `acceptHead` refused. */
  readonly body: Buffer | undefined;
  /** Bytes of the body as they came, before inflating. */
  readonly bytesOnWire: number;
  readonly remoteAddress: string | undefined;
  readonly timings: FetchTimings;
}

/** In milliseconds, one after the other. */
interface FetchTimings {
  /** For a free connection to the origin. */
  readonly waited: number;
  /** About 0 on a connection that was already open. */
  readonly connecting: number;
  readonly head: number;
  readonly body: number;
}
