import { type Configuration, defaultProxy, parseProxyUrl } from '@holdfast/contract';
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts';
import { fetchThrough, siteOf } from './fetch-through.ts';
import { ProxyPool } from './proxy-pool.ts';

export type ProxySettings = Pick<
  Configuration,
  'proxyUrls' | 'proxyRotation' | 'proxyResolvesNames' | 'proxyBypass'
>;

/** The proxies of HOLDFAST_PROXY; undefined without that setting. */
export function defaultPool({
  proxyUrls,
  proxyRotation,
  proxyResolvesNames,
}: ProxySettings): ProxyPool | undefined {
  if (proxyUrls.length === 0) return undefined;
  return new ProxyPool({
    name: defaultProxy,
    servers: proxyUrls.map(parseProxyUrl),
    rotation: proxyRotation,
    resolvesNames: proxyResolvesNames,
    // It has the same trust as the allow-list.
    mayBePrivate: true,
  });
}

/** Whether HOLDFAST_NO_PROXY names the host: as host:port, as host, or as *.domain. */
export function goesDirect({ proxyBypass }: Pick<ProxySettings, 'proxyBypass'>, host: string): boolean {
  const name = host.replace(/:\d+$/, '');
  return proxyBypass.some((given) => {
    const pattern = given.toLowerCase();
    if (pattern === '*' || pattern === host || pattern === name) return true;
    const suffix = pattern.startsWith('*.')
      ? pattern.slice(1)
      : pattern.startsWith('.')
        ? pattern
        : undefined;
    return suffix !== undefined && name.endsWith(suffix);
  });
}

/** Sends requests that belong to no job or source, such as webhooks, through HOLDFAST_PROXY. */
export function throughDefault<Given extends Fetcher>(fetcher: Given, configuration: ProxySettings): Fetcher {
  const pool = defaultPool(configuration);
  if (!pool) return fetcher;
  return {
    fetch: (request: FetchRequest) =>
      goesDirect(configuration, siteOf(request.url))
        ? fetcher.fetch(request)
        : fetchThrough(fetcher, pool, request),
    close: () => fetcher.close(),
  };
}
