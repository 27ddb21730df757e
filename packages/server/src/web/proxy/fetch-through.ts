import { HoldfastError, parseUrl } from '@holdfast/contract';
import type { Fetcher, FetchRequest, FetchResponse } from '../fetch/fetcher.ts';
import { ProxyFailure } from './proxy-endpoint.ts';
import type { ProxyPool } from './proxy-pool.ts';

/** Delay before asking again if the time is unknown. */
const soonMs = 250;
/** Maximum proxies to try per request. */
const mostTries = 3;

/**
 * Fetches through a pool. If a proxy fails before the site can have received the request, the next one is tried at
 * once. Never connects without a proxy. `except`: names of endpoints to avoid.
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
    // If no other server is left, an excluded one is better than none.
    const via = pool.choose(host, tried) ?? (tries === 0 ? pool.choose(host) : undefined);
    if (!via) break;
    tried.add(via.name);
    try {
      const response = await fetcher.fetch({ ...request, via });
      pool.succeeded(via, host);
      return response;
    } catch (error) {
      if (!(error instanceof ProxyFailure)) {
        // The site responded, or we ended the request.
        if (error instanceof HoldfastError && fromSite.has(error.code)) pool.succeeded(via, host);
        else pool.abandoned(via);
        throw error;
      }
      pool.failed(error, host);
      failure = error;
      if (error.isSent || request.signal?.aborted) break;
    }
  }
  throw failure ?? new AllProxiesPaused(pool, host);
}

/** Errors that prove that the site was reached. */
const fromSite: ReadonlySet<string> = new Set(['response_invalid', 'content_encoding_bad', 'body_too_large']);

/** No proxy was asked for anything. */
export class AllProxiesPaused extends HoldfastError {
  /** By the monotonic clock. */
  readonly until: number;

  constructor(pool: ProxyPool, host: string) {
    const what = pool.size === 1 ? 'is paused after failures' : 'has no working server left';
    super('proxy_failed', `${pool.name} ${what}${pool.trouble ? ` (last: ${pool.trouble})` : ''}`);
    this.until = pool.blockedUntil(host) || performance.now() + soonMs;
  }
}

/** The host of a URL, with its port. */
export function siteOf(url: string): string {
  return parseUrl(url)?.host ?? '';
}
