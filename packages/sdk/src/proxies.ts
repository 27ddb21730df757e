import { Listing } from './listing.ts';
import type { ListProxiesQuery, ProxyPool, ProxySettings } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Proxies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** With the health of their servers. */
  list(query: ListProxiesQuery = {}, options?: CallOptions): Listing<ProxyPool> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listProxies', { query: { ...query, cursor } }, options),
    );
  }

  get(name: string, options?: CallOptions): Promise<ProxyPool> {
    return this.#transport.call('showProxy', { path: { name } }, options);
  }

  /** Creates a proxy or changes the given settings. Its URLs are never returned. */
  put(name: string, settings: ProxySettings, options?: CallOptions): Promise<ProxyPool> {
    return this.#transport.call('putProxy', { path: { name }, body: settings, repeatable: true }, options);
  }

  delete(name: string, options?: CallOptions): Promise<ProxyPool> {
    return this.#transport.call('deleteProxy', { path: { name } }, options);
  }
}
