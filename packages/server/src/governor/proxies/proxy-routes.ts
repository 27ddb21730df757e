import {
  type Configuration,
  defaultProxy,
  directProxy,
  HoldfastError,
  parseProxyUrl,
} from '@holdfast/contract';
import type { Logger } from 'pino';
import type { Queryable } from '../../base/database/statement.ts';
import { SecretKeys } from '../../base/secrets/secret-keys.ts';
import { SecretStore } from '../../base/secrets/secret-store.ts';
import {
  type Fetcher,
  type FetchRequest,
  type FetchResponse,
  RequestNotSent,
} from '../../web/fetch/fetcher.ts';
import { defaultPool, goesDirect } from '../../web/proxy/default-pool.ts';
import { AllProxiesPaused, fetchThrough, siteOf } from '../../web/proxy/fetch-through.ts';
import type { ProxyEndpoint } from '../../web/proxy/proxy-endpoint.ts';
import { ProxyPool } from '../../web/proxy/proxy-pool.ts';
import { hostPatterns } from '../sources/open-sources.ts';
import { type ProxyPlan, readProxyPlan, reportProxies } from './proxy-plan.ts';
import { proxyUrls } from './stored-proxies.ts';

interface ProxyRoutesOptions {
  readonly db: Queryable;
  readonly log: Logger;
  readonly configuration: Configuration;
}

/** Maximum age of the plan: changes of proxies or sources take effect within this time. */
const planMs = 5_000;

const lookAgainMs = 1_000;

interface KnownPool {
  readonly pool: ProxyPool;
  readonly edition: number;
}

/**
 * Chooses the proxy of a request: its job's, its source's, or HOLDFAST_PROXY. A request that needs a proxy is never
 * sent without one: if the proxy is missing or its credentials cannot be read, the request fails.
 */
export class ProxyRoutes {
  readonly #options: ProxyRoutesOptions;
  readonly #secrets: SecretStore;
  readonly #default: ProxyPool | undefined;
  readonly #pools = new Map<string, KnownPool>();
  /** Pools by host, for the current plan. */
  readonly #chosen = new Map<string, ProxyPool | undefined>();
  #plan: { readonly value: ProxyPlan; readonly readAt: number } | undefined;
  #reading: Promise<ProxyPlan> | undefined;
  readonly #warned = new Set<string>();
  /** The proxy that the job or its profile names. */
  #own: string | undefined;

  constructor(options: ProxyRoutesOptions) {
    this.#options = options;
    this.#secrets = new SecretStore(new SecretKeys(options.configuration));
    this.#default = defaultPool(options.configuration);
  }

  /** Everything goes through the proxy of this name; undefined: each request where its source says. */
  use(name: string | undefined): void {
    this.#own = name;
    this.#chosen.clear();
  }

  /** A fetcher that sends each request through its proxy. `except`: proxy servers to avoid. */
  over(fetcher: Fetcher, except: (request: FetchRequest) => Iterable<string> = () => []): Fetcher {
    return {
      fetch: async (request): Promise<FetchResponse> => {
        const pool = await this.#poolNow(siteOf(request.url));
        if (!pool) return await fetcher.fetch(request);
        try {
          return await fetchThrough(fetcher, pool, request, except(request));
        } catch (error) {
          this.#warn(pool, error);
          // No request was sent, so the caller can wait.
          throw error instanceof AllProxiesPaused ? new RequestNotSent(error.until) : error;
        }
      },
      close: () => fetcher.close(),
    };
  }

  /** Without the database, the proxy of a request is unknown. */
  async #poolNow(host: string): Promise<ProxyPool | undefined> {
    try {
      return await this.poolFor(host);
    } catch (error) {
      if (error instanceof HoldfastError) throw error;
      this.#options.log.warn({ err: error }, 'Could not read the proxies; trying again');
      throw new RequestNotSent(performance.now() + lookAgainMs);
    }
  }

  /** Throws if the named proxy cannot be used. */
  async poolFor(host: string): Promise<ProxyPool | undefined> {
    const plan = await this.#currentPlan();
    if (this.#chosen.has(host)) return this.#chosen.get(host);
    const pool = await this.#choose(host, plan);
    if (this.#chosen.size > 10_000) this.#chosen.clear();
    this.#chosen.set(host, pool);
    return pool;
  }

  /** Until when all proxies of the host are paused, by the monotonic clock; 0: one is available, or none is needed. */
  blockedUntil(host: string): number {
    return this.#chosen.get(host)?.blockedUntil(host) ?? 0;
  }

  /** Why no proxy of a host is available. */
  troubleOf(host: string): HoldfastError | undefined {
    const pool = this.#chosen.get(host);
    if (!pool || pool.blockedUntil(host) === 0) return undefined;
    return new HoldfastError('proxy_failed', pool.trouble ?? pool.name);
  }

  /** The server that a response came through, for a page that must keep using it. */
  viaOf({ url, proxy }: Pick<FetchResponse, 'url' | 'proxy'>): { readonly via?: ProxyEndpoint } {
    if (proxy === undefined) return {};
    const via = this.#chosen.get(siteOf(url))?.endpoints.find((endpoint) => endpoint.name === proxy);
    if (!via) throw new HoldfastError('proxy_failed', `${proxy} is not there any more`);
    return { via };
  }

  /** How many proxy servers there are for a host. */
  serversFor(host: string): number {
    return this.#chosen.get(host)?.size ?? 0;
  }

  /** Writes unsaved health of the servers. */
  async close(): Promise<void> {
    await this.#report().catch(() => undefined);
  }

  async #currentPlan(): Promise<ProxyPlan> {
    if (this.#plan && performance.now() - this.#plan.readAt < planMs) return this.#plan.value;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    // An older plan serves meanwhile.
    if (this.#plan) {
      this.#reading.catch(() => undefined);
      return this.#plan.value;
    }
    return await this.#reading;
  }

  async #read(): Promise<ProxyPlan> {
    try {
      await this.#report();
      const value = await readProxyPlan(this.#options.db);
      this.#adopt(value);
      const { proxies, sources } = this.#plan?.value ?? {};
      const isSame =
        JSON.stringify([proxies, [...(sources ?? [])]]) ===
        JSON.stringify([value.proxies, [...value.sources]]);
      if (!isSame) this.#chosen.clear();
      this.#plan = { value, readAt: performance.now() };
      return value;
    } catch (error) {
      // The database is probably down: a later request tries again.
      if (this.#plan) this.#plan = { ...this.#plan, readAt: performance.now() };
      throw error;
    }
  }

  /** Recreates changed pools, and updates the others with the health that other workers reported. */
  #adopt({ proxies, resting }: ProxyPlan): void {
    for (const [name, { edition }] of this.#pools)
      if (proxies.find((proxy) => proxy.name === name)?.edition !== edition) this.#pools.delete(name);
    for (const { proxy, server, for_ms } of resting) {
      const pool = proxy === defaultProxy ? this.#default : this.#pools.get(proxy)?.pool;
      pool?.learn(server, for_ms);
    }
  }

  async #choose(host: string, plan: ProxyPlan): Promise<ProxyPool | undefined> {
    const name = this.#own ?? sourceProxy(host, plan);
    if (name === directProxy) return undefined;
    if (name !== undefined) return await this.#named(name, plan);
    return this.#default && !goesDirect(this.#options.configuration, host) ? this.#default : undefined;
  }

  async #named(name: string, plan: ProxyPlan): Promise<ProxyPool> {
    const known = this.#pools.get(name);
    if (known) return known.pool;
    const stored = plan.proxies.find((proxy) => proxy.name === name);
    if (!stored) throw new HoldfastError('proxy_not_found', name);
    const urls = await proxyUrls(this.#options.db, this.#secrets, stored);
    const pool = new ProxyPool({
      name,
      servers: urls.map(parseProxyUrl),
      rotation: stored.rotation,
      resolvesNames: stored.resolves_names,
      mayBePrivate: stored.may_be_private,
      cooldownMs: stored.cooldown_seconds * 1000,
    });
    for (const { proxy, server, for_ms } of plan.resting) if (proxy === name) pool.learn(server, for_ms);
    this.#pools.set(name, { pool, edition: stored.edition });
    return pool;
  }

  async #report(): Promise<void> {
    const pools = [...this.#pools.values()].map(({ pool }) => pool);
    if (this.#default) pools.push(this.#default);
    const reports = pools.flatMap((pool) =>
      pool.collect().map((report) => ({ proxy: pool.name, ...report })),
    );
    if (reports.length > 0) await reportProxies(this.#options.db, reports);
  }

  /** Logged once per server and kind of failure. */
  #warn({ name: proxy }: ProxyPool, error: unknown): void {
    if (!(error instanceof HoldfastError) || error.code !== 'proxy_failed') return;
    if (this.#warned.has(error.message) || this.#warned.size > 100) return;
    this.#warned.add(error.message);
    this.#options.log.warn(
      { proxy },
      `${error.message}. Requests wait for another proxy, or until it works again: holdfast proxies show ${proxy}`,
    );
  }
}

/** As for the limits of sources, the closest pattern counts. */
function sourceProxy(host: string, { sources }: ProxyPlan): string | undefined {
  if (sources.size === 0) return undefined;
  for (const pattern of hostPatterns(host)) {
    const proxy = sources.get(pattern);
    if (proxy !== undefined) return proxy ?? undefined;
  }
  return undefined;
}
