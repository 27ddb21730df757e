import {
  type Configuration,
  defaultProxy,
  HoldfastError,
  parseProxyUrl,
  proxyAddress,
} from '@holdfast/contract';
import type { Queryable } from '../../base/database/statement.ts';
import type { SecretStore } from '../../base/secrets/secret-store.ts';
import { findProxy, proxyUrls } from '../../governor/proxies/stored-proxies.ts';
import { HttpFetcher } from '../../web/fetch/http-fetcher.ts';
import { defaultPool } from '../../web/proxy/default-pool.ts';
import { ProxyPool } from '../../web/proxy/proxy-pool.ts';

interface CheckedServer {
  readonly server: string;
  readonly address: string;
  readonly ok: boolean;
  readonly status: number | null;
  readonly milliseconds: number;
  readonly error: string | null;
  /** For people. */
  readonly text: string;
}

/** Fetches a page through each server of a proxy, one after the other, whatever their health. */
export async function checkProxy(
  db: Queryable,
  secrets: SecretStore,
  configuration: Configuration,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<CheckedServer[]> {
  const pool = await poolOf(db, secrets, configuration, name);
  const fetcher = new HttpFetcher({
    userAgent: configuration.userAgent,
    allowOrigins: configuration.allowPrivate,
  });
  const results: CheckedServer[] = [];
  try {
    for (const via of pool.endpoints) {
      const started = performance.now();
      const outcome = await fetcher
        .fetch({ url, via, acceptHead: () => false, limits: { totalMs: 30_000 } })
        .catch((error: unknown) => error as HoldfastError);
      const milliseconds = Math.round(performance.now() - started);
      const ok = !(outcome instanceof Error);
      const address = proxyAddress(via);
      const words = ok ? `HTTP ${outcome.status} in ${milliseconds} ms` : outcome.message;
      results.push({
        server: via.name,
        address,
        ok,
        status: ok ? outcome.status : null,
        milliseconds,
        error: ok ? null : outcome.message,
        text: `${ok ? 'ok    ' : 'failed'}  ${via.name}  ${address}  ${words}`,
      });
    }
  } finally {
    await fetcher.close();
  }
  return results;
}

async function poolOf(
  db: Queryable,
  secrets: SecretStore,
  configuration: Configuration,
  name: string,
): Promise<ProxyPool> {
  if (name === defaultProxy) {
    const pool = defaultPool(configuration);
    if (pool) return pool;
    throw new HoldfastError('proxy_not_found', 'HOLDFAST_PROXY is not set');
  }
  const stored = await findProxy(db, name);
  if (!stored) throw new HoldfastError('proxy_not_found', name);
  return new ProxyPool({
    name,
    servers: (await proxyUrls(db, secrets, stored)).map(parseProxyUrl),
    resolvesNames: stored.resolves_names,
    mayBePrivate: stored.may_be_private,
  });
}
