import { HoldfastError, parseUrl } from '@holdfast/contract';
import type { Fetcher, FetchRequest, FetchResponse } from '../fetch/fetcher.ts';
import { ProxyFailure } from './proxy-endpoint.ts';
import type { ProxyPool } from './proxy-pool.ts';

/** How soon to ask again where it is not known. */
const soonMs = 250;
/** How many proxies one request may try. */
const mostTries = 3;

/**
 * Fetches through a pool. When a proxy fails before the site can have got the request, the next one tries at once. There is no way
 * from here to the site without a proxy.
 *
 * `except`: endpoints that are not to be used, by name.
 */
export async function fetchThrough(
  fetcher: Fetcher,
  pool: ProxyPool,
  request: FetchRequest,
  except: Iterable<string> = [],
): Promise<FetchResponse> {
  const host = siteOf(request.url);
  const tried = new Set(except);
  let failure: ProxyFailure | undefined;
  for (let tries = 0; tries < mostTries; tries++) {
    // With nothing else left, a server is better than none.
    const via = pool.choose(host, tried) ?? (tries === 0 ? pool.choose(host) : undefined);
    if (!via) break;
    tried.add(via.name);
    try {
      const response = await fetcher.fetch({ ...request, via });
      pool.succeeded(via, host);
      return response;
    } catch (error) {
      if (!(error instanceof ProxyFailure)) {
        // The site answered, or the request ended for reasons of our own.
        if (error instanceof HoldfastError && fromSite.has(error.code)) pool.succeeded(via, host);
        else pool.abandoned(via);
        throw error;
      }
      pool.failed(error, host);
      failure = error;
      if (error.isSent || request.signal?.aborted) break;
    }
  }
  throw failure ?? new AllProxiesRest(pool, host);
}

/** Errors that only a site that was reached can cause. */
const fromSite: ReadonlySet<string> = new Set(['response_invalid', 'content_encoding_bad', 'body_too_large']);

/** No proxy was asked for anything. */
export class AllProxiesRest extends HoldfastError {
  /** By the monotonic clock. */
  readonly until: number;

  constructor(pool: ProxyPool, host: string) {
    const what = pool.size === 1 ? 'rests after failures' : 'has no server left that works';
    super('proxy_failed', `${pool.name} ${what}${pool.trouble ? ` (last: ${pool.trouble})` : ''}`);
    this.until = pool.blockedUntil(host) || performance.now() + soonMs;
  }
}

/** The host of a URL, with its port. */
export function siteOf(url: string): string {
  return parseUrl(url)?.host ?? '';
}
