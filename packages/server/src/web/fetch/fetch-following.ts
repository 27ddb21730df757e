import { HoldfastError } from '@holdfast/contract';
import type { Fetcher, FetchRequest, FetchResponse, SessionOfRequests } from './fetcher.ts';

/** The maximum number of redirects to a page. */
export const maxRedirects = 10;

export interface Hop {
  readonly from: string;
  readonly to: string;
  readonly status: number;
  /** The first is 1. */
  readonly number: number;
}

interface FollowOptions {
  /** The maximum number of redirects to follow. RFC 9309 requires five for robots.txt. */
  readonly maxHops: number;
  /** Called before each hop, for scope and governor. false: returns the redirect itself. */
  readonly onHop?: ((hop: Hop) => boolean | undefined | Promise<boolean | undefined>) | undefined;
  /** Any header may be a secret: other origins get none of them. */
  readonly headersAreSecret?: boolean | undefined;
  readonly session?: SessionOfRequests | undefined;
}

interface FollowedResponse {
  readonly response: FetchResponse;
  readonly hops: readonly Hop[];
}

/** Headers that are not sent to other origins. */
const secrets: ReadonlySet<string> = new Set(['authorization', 'cookie']);

/**
 * Fetches and follows redirects, checking every hop like a first request. The request's `limits.totalMs` applies to all hops
 * together; the fetcher's default applies to each hop.
 */
export async function fetchFollowing(
  fetcher: Fetcher,
  request: FetchRequest,
  { maxHops, onHop, headersAreSecret = false, session }: FollowOptions,
): Promise<FollowedResponse> {
  const deadline =
    request.limits?.totalMs === undefined ? undefined : performance.now() + request.limits.totalMs;
  const hops: Hop[] = [];
  let current = request;
  for (;;) {
    const response = await fetcher.fetch(session ? await withSession(current, session) : current);
    await session?.receive(current.url, response);
    const to = response.location;
    if (to === undefined) return { response, hops };
    if (hops.length === maxHops) throw new HoldfastError('too_many_redirects', `more than ${maxHops}`);
    const hop = { from: response.url, to, status: response.status, number: hops.length + 1 };
    if ((await onHop?.(hop)) === false) return { response, hops };
    hops.push(hop);
    current = nextRequest(current, hop, deadline, headersAreSecret);
  }
}

async function withSession(request: FetchRequest, session: SessionOfRequests): Promise<FetchRequest> {
  const { acceptLanguage, headers } = await session.prepare(request.url);
  return { ...request, acceptLanguage, headers: { ...headers, ...request.headers } };
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
    // Validators belong to the first URL.
    ifNoneMatch: undefined,
    ifModifiedSince: undefined,
    ...(deadline !== undefined && {
      limits: { ...request.limits, totalMs: Math.max(deadline - performance.now(), 1) },
    }),
  };
}
