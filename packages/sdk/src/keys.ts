import { Listing } from './listing.ts';
import type { CreatedKey, CreateKeyBody, Key, ListKeysQuery } from './operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a key; its secret is in this answer and nowhere else. */
  create(key: CreateKeyBody, options?: CallOptions): Promise<CreatedKey> {
    return this.#transport.call('createKey', { body: key }, options);
  }

  /** Keys, the newest first, revoked and expired ones too. */
  list(query: ListKeysQuery = {}, options?: CallOptions): Listing<Key> {
    return new Listing((cursor = query.cursor) =>
      this.#transport.call('listKeys', { query: { ...query, cursor } }, options),
    );
  }

  /** Ends a key for good. */
  revoke(id: string, options?: CallOptions): Promise<Key> {
    return this.#transport.call('revokeKey', { path: { id }, repeatable: true }, options);
  }
}
