import { HoldfastError } from '@holdfast/contract';
import type { Fetcher, FetchRequest, FetchResponse } from './fetcher.ts';

export interface Hop {
  readonly from: string;
  readonly to: string;
  readonly status: number;
  /** The first is 1. */
  readonly number: number;
}

export interface FollowOptions {
  /** Redirects that are followed; one more fails. RFC 9309 wants five for robots.txt. */
  readonly maxHops: number;
  /** Asked before each hop (scope, governor). False: the redirect itself is the answer. */
  readonly onHop?: ((hop: Hop) => boolean | undefined | Promise<boolean | undefined>) | undefined;
  /** Every header of the request may be a secret: another origin gets none of them. */
  readonly headersAreSecret?: boolean | undefined;
}

export interface FollowedResponse {
  readonly response: FetchResponse;
  readonly hops: readonly Hop[];
}

/** Secrets of the first site are none of the next one's business. */
const secrets: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/**
 * Fetches and follows redirects by hand, so that every hop is checked like a first request. `limits.totalMs` of the
 * request holds for all hops together; left out, the fetcher's own holds for each.
 */
export async function fetchFollowing(
  fetcher: Fetcher,
  request: FetchRequest,
  { maxHops, onHop, headersAreSecret = false }: FollowOptions,
): Promise<FollowedResponse> {
  const deadline =
    request.limits?.totalMs === undefined ? undefined : performance.now() + request.limits.totalMs;
  const hops: Hop[] = [];
  let current = request;
  for (;;) {
    const response = await fetcher.fetch(current);
    const to = response.location;
    if (to === undefined) return { response, hops };
    if (hops.length === maxHops) throw new HoldfastError('too_many_redirects', `more than ${maxHops}`);
    const hop = { from: response.url, to, status: response.status, number: hops.length + 1 };
    if ((await onHop?.(hop)) === false) return { response, hops };
    hops.push(hop);
    current = nextRequest(current, hop, deadline, headersAreSecret);
  }
}

function nextRequest(
  request: FetchRequest,
  { from, to }: Hop,
  deadline: number | undefined,
  headersAreSecret: boolean,
): FetchRequest {
  const sameOrigin = new URL(from).origin === new URL(to).origin;
  const kept = Object.entries(request.headers ?? {}).filter(
    ([name]) => sameOrigin || !(headersAreSecret || secrets.has(name.toLowerCase())),
  );
  return {
    ...request,
    url: to,
    headers: Object.fromEntries(kept),
    // They are validators of what the first URL gave, not of this one.
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    ...(deadline !== undefined && {
      limits: { ...request.limits, totalMs: Math.max(deadline - performance.now(), 1) },
    }),
  };
}
